cimport cython
from engine.bits cimport word as word_t, popcount, low_half, high_half
from engine.board cimport to_word

@cython.final
cdef class Index:
    cdef word_t playable, middle, full
    cdef word_t last[2]
    cdef int squares, row
    cdef unsigned long long choose[1024]
    cdef unsigned long long men_offset[512]
    cdef word_t own_men, own_kings, opp_men, opp_kings

    @cython.locals(total=cython.ulonglong, k=int, b=word_t)
    cdef inline unsigned long long combine(self, word_t pieces, word_t free, bint turned) noexcept nogil
    @cython.locals(number=cython.ulonglong, free=word_t, far=word_t, back=word_t, n=int, m=int, k=int, left=int)
    cdef unsigned long long rank(self, word_t own_men, word_t own_kings, word_t opp_men, word_t opp_kings, bint turned) noexcept nogil
    @cython.locals(found=word_t, rest=word_t, top=int, low=int, half=int)
    cdef word_t pick(self, unsigned long long number, int k, word_t free) noexcept nogil
    @cython.locals(wm=int, wk=int, bm=int, bk=int, left=int, back=int, part=cython.ulonglong, opp_kings=cython.ulonglong, own_kings=cython.ulonglong, own_men=cython.ulonglong, middle=word_t, free=word_t)
    cdef void unrank(self, int slot, unsigned long long number) noexcept nogil
    @cython.locals(free=word_t)
    cdef void advance(self, int slot, unsigned long long number) noexcept nogil
    @cython.locals(b=word_t, after=word_t, k=int)
    cdef inline word_t next(self, word_t pieces, word_t free) noexcept nogil
