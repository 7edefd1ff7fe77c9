cimport cython
from engine.bits cimport word as word_t, popcount
from engine.board cimport Board, to_word
from engine.patterns cimport Patterns

@cython.final
cdef class Evaluation:
    cdef word_t row[12]
    cdef int advance[12]
    cdef word_t home[2]
    cdef word_t centre
    cdef word_t road
    cdef int rows, man, king, few, s1, s2
    cdef int man_home, man_centre, king_step, king_centre, king_road, turn
    cdef bint flying, losing, trained
    cdef readonly Patterns patterns
    cdef readonly object weights

    @cython.locals(score=int, r=int, free=int)
    cdef int side_score(self, word_t men, word_t kings, word_t empty, int side) noexcept nogil
    @cython.locals(n=int, share=int)
    cdef inline int subdue(self, Board board, int score, word_t kings0, word_t kings1) noexcept nogil
    @cython.locals(kings0=word_t, kings1=word_t, white=word_t, black=word_t, empty=word_t, score=int)
    cdef int evaluate(self, Board board) noexcept nogil
