cimport cython
from engine.bits cimport word as word_t, popcount
from engine.board cimport Board
from engine.egdb_codec cimport Codec
from engine.egdb_index cimport Index

ctypedef const unsigned char *bytes_t

cdef bytes_t pointer(const unsigned char[::1] view)

@cython.final
cdef class Probe:
    cdef Index index
    cdef Codec codec
    cdef bint limit, losing
    cdef int pieces
    cdef dict keep
    cdef dict unpackers
    cdef bytes_t offsets[4096]
    cdef bytes_t tokens[4096]
    cdef int longest[4096]
    cdef long long tag[64]
    cdef unsigned char line[524288]

    @cython.locals(own=word_t, opp=word_t, n=int, m=int)
    cdef int slot_of(self, Board board) noexcept nogil
    @cython.locals(own=word_t, opp=word_t, kings=word_t)
    cdef unsigned long long number(self, Board board) noexcept nogil
    cdef inline bint holds(self, int slot) noexcept nogil
    @cython.locals(slot=int, number=cython.ulonglong, offsets=bytes_t, block=cython.ulonglong, at=cython.uint)
    cdef int value(self, Board board) noexcept nogil
    @cython.locals(total=cython.longlong, _=int)
    cdef long long value_often(self, Board board, int times) noexcept nogil
    @cython.locals(slot=int, number=cython.ulonglong, block=cython.longlong, tag=cython.longlong, line=int)
    cdef int code(self, Board board) noexcept nogil
    @cython.locals(code=int)
    cdef int plies(self, Board board) noexcept nogil
    cdef inline int blocked_step(self, int code) noexcept nogil
    cdef bint fetch(self, int slot, long long block, int line) noexcept nogil
    @cython.locals(base=int, i=int, size=int, source=bytes_t)
    cdef bint unpack(self, int slot, long long block, int line) noexcept
