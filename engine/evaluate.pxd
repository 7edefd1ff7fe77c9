cimport cython
from engine.bits cimport word as word_t, popcount
from engine.board cimport Board, to_word

@cython.final
cdef class Evaluation:
    cdef word_t row[12]
    cdef int advance[12]
    cdef word_t home[2]
    cdef word_t centre
    cdef word_t road
    cdef int rows, man, king, few, s1, s2
    cdef bint flying, losing

    @cython.locals(score=int, r=int, free=int)
    cdef int side_score(self, word_t men, word_t kings, word_t empty, int side) noexcept nogil
    @cython.locals(kings0=word_t, kings1=word_t, empty=word_t, score=int, n=int, share=int)
    cdef int evaluate(self, Board board) noexcept nogil
