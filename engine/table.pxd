cimport cython
from engine.bits cimport prefetch

@cython.final
cdef class Table:
    cdef readonly int log
    cdef unsigned long long age, mask
    cdef unsigned long long[::1] words

    cdef inline void fetch(self, unsigned long long key) noexcept nogil
    @cython.locals(i=cython.ulonglong, data=cython.ulonglong, _=int)
    cdef unsigned long long probe(self, unsigned long long key) noexcept nogil
    @cython.locals(i=cython.ulonglong, slot=cython.ulonglong, data=cython.ulonglong, entry=cython.ulonglong, worst=int, worth=int, _=int)
    cdef void store(self, unsigned long long key, int depth, int score, int bound, int move) noexcept nogil
    @cython.locals(d=cython.ulonglong)
    cdef inline unsigned long long pack(self, int depth, int score, int bound, int move) noexcept nogil
