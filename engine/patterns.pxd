cimport cython
from engine.bits cimport word as word_t, popcount, lowest, low_half, join_halves
from engine.board cimport to_word

@cython.final
cdef class Patterns:
    cdef object rules
    cdef readonly int groups
    cdef int squares, s1, s2
    cdef bint sideways
    cdef word_t left, playable
    cdef const short[::1] weights
    cdef unsigned long long mask[64]
    cdef unsigned long long magic[64]
    cdef int shift[64]
    cdef int down[64]
    cdef int table[64]
    cdef int start[64]
    cdef unsigned int digit[32768]
    cdef int phase[256]
    cdef int place[256]
    cdef int opening[256]
    cdef int ending[256]
    cdef int value[256]

    @cython.locals(a=cython.ulonglong, b=cython.ulonglong)
    cdef inline int state(self, int k, word_t own, word_t enemy) noexcept nogil
    @cython.locals(free=int)
    cdef inline int steps(self, word_t pieces, word_t empty) noexcept nogil
    @cython.locals(free=int)
    cdef inline int steps_up(self, word_t men, word_t empty) noexcept nogil
    @cython.locals(free=int)
    cdef inline int steps_down(self, word_t men, word_t empty) noexcept nogil
    @cython.locals(left=int)
    cdef inline int lean(self, word_t men) noexcept nogil
    @cython.locals(n=int, m=int)
    cdef inline void observe(self, word_t white, word_t black, word_t kings0, word_t kings1, word_t empty, int stm) noexcept nogil
    @cython.locals(opening=int, ending=int, phase=int, k=int, i=int, j=int, pieces=word_t, total=cython.longlong)
    cdef int score(self, word_t white, word_t black, word_t kings0, word_t kings1, word_t empty, int stm) noexcept nogil
    @cython.locals(width=int, row=Py_ssize_t, k=int, kings=word_t, white=word_t, black=word_t, empty=word_t, kings0=word_t, kings1=word_t)
    cpdef void trace(self, const unsigned long long[::1] boards, const unsigned char[::1] turns, int[::1] seen, int[::1] values)
