cimport cython
from engine.bits cimport word as word_t, popcount, low_half, high_half
from engine.board cimport Board, to_word

@cython.final
cdef class Line:
    cdef readonly Board board
    cdef word_t road
    cdef int repetition, counters, ply
    cdef bint patterns
    cdef int plain
    cdef int plain_at[8]
    cdef unsigned long long key[2048]
    cdef unsigned long long mix[2048]
    cdef int calm[2048]
    cdef int draw[2048]
    cdef word_t kings[2048]
    cdef int value[16384]
    cdef int start[8]
    cdef int hold[8]
    cdef int limit[8]
    cdef int reset[8]
    cdef int tick_if[8]
    cdef int off_while[8]
    cdef bint strong_only[8]
    cdef bint quiet[8]

    @cython.locals(h=cython.ulonglong, r=int)
    cdef unsigned long long position_key(self) noexcept nogil
    cdef unsigned long long search_key(self) noexcept nogil
    @cython.locals(found=int, key=cython.ulonglong, back=int, i=int)
    cdef int earlier(self, int most) noexcept nogil
    cdef bint repeats(self, int ply) noexcept nogil
    cdef int drawn(self) noexcept nogil
    @cython.locals(room=int, c=int, v=int)
    cdef int room(self, bint lasting) noexcept nogil
    @cython.locals(frm=word_t, to=word_t, kings=word_t, events=int, calm=int, old=int, new=int)
    cdef void play(self, int i) noexcept nogil
    cdef void undo(self, int i) noexcept nogil
    @cython.locals(reached=bint, i=int, c=int, v=int)
    cdef bint count(self, int old, int new, int events) noexcept nogil
    cdef int advanced(self, int c, int v, int events) noexcept nogil
    cdef inline bint settle(self, int c, int new, int v) noexcept nogil
    @cython.locals(w=int, b=int)
    cdef bint is_few(self) noexcept nogil
    @cython.locals(i=int, c=int, d=int, on=int)
    cdef int firing(self) noexcept nogil
    @cython.locals(before=int, found=bint, i=int)
    cdef bint has_capture(self) noexcept nogil
    @cython.locals(w=int, k=int, v=int, q=int, n=int, strong=int, lone=word_t)
    cdef bint matches(self, int pattern) noexcept nogil
