cimport cython
from engine.bits cimport popcount
from engine.board cimport Board
from engine.egdb_probe cimport Probe
from engine.line cimport Line

@cython.final
cdef class Scorer:
    cdef Line line
    cdef Board board
    cdef readonly Probe probe
    cdef public object tag
    cdef int pieces
    cdef bint exact
    cdef unsigned long long hits

    cdef bint reaches(self) noexcept nogil
    @cython.locals(value=int, score=int, room=int, plies=int)
    cdef int score(self, int ply, int drawn) noexcept nogil
