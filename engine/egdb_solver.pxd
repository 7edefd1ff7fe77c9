cimport cython
from engine.bits cimport word as word_t, popcount
from engine.board cimport Board
from engine.egdb_index cimport Index

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define damier_decrement(p) ((unsigned char)(_InterlockedExchangeAdd8((char *)(p), -1) - 1))
    #else
    #define damier_decrement(p) __atomic_sub_fetch((p), 1, __ATOMIC_RELAXED)
    #endif
    """
    unsigned char decrement "damier_decrement"(unsigned char *p) noexcept nogil

ctypedef unsigned char *bytes_t

cdef bytes_t pointer(unsigned char[::1] view)

@cython.final
cdef class Solver:
    cdef Board board
    cdef Index index
    cdef bint mandatory, sideways, flying, first_king_wins, same
    cdef int win_step, loss_step, blocked, slot, one_each
    cdef object keep
    cdef dict tables
    cdef bytes_t codes[4096]
    cdef bytes_t state, level, loss_flag, win_flag
    cdef bytes_t mirror_state, mirror_level, mirror_loss_flag, mirror_win_flag
    cdef unsigned long long bins[256]

    cdef inline void set_up(self) noexcept nogil
    cdef inline bint is_even(self) noexcept nogil
    @cython.locals(white=word_t, black=word_t, kings=word_t, n=int, m=int, slot=int, i=cython.ulonglong, code=int)
    cdef int reply_code(self) noexcept nogil
    @cython.locals(end=int, takes=bint, quiet=int, drawn=int, won=int, lost=int, i=int, kings=word_t, code=int)
    cdef void judge(self, unsigned long long number) noexcept nogil
    @cython.locals(i=cython.ulonglong)
    cdef void judge_all(self, unsigned long long low, unsigned long long high) noexcept nogil
    @cython.locals(waiting=cython.ulonglong, chunk=cython.ulonglong, later=int, i=cython.ulonglong, end=cython.ulonglong, state=int)
    cdef unsigned long long spread_losses(self, unsigned long long low, unsigned long long high, int level) noexcept nogil
    @cython.locals(waiting=cython.ulonglong, chunk=cython.ulonglong, later=int, i=cython.ulonglong, end=cython.ulonglong, state=int)
    cdef unsigned long long spread_wins(self, unsigned long long low, unsigned long long high, int level) noexcept nogil
    cdef inline word_t shift(self, word_t b, int k) noexcept nogil
    @cython.locals(found=int, men=word_t, kings=word_t, empty=word_t, pieces=word_t, b=word_t, t=word_t, k=int)
    cdef int step_back(self, int level, bint won) noexcept nogil
    @cython.locals(i=cython.ulonglong, state=int)
    cdef int settle(self, word_t men, word_t kings, int level, bint won) noexcept nogil
    @cython.locals(left=int)
    cdef inline int close(self, unsigned long long i) noexcept nogil
    @cython.locals(i=cython.ulonglong, state=int, code=int)
    cdef void encode_all(self, unsigned long long low, unsigned long long high) noexcept nogil
    @cython.locals(end=int, takes=bint, drawn=bint, won=int, lost=int, i=int, kings=word_t, code=int)
    cdef int code_by_moves(self) noexcept nogil
    @cython.locals(i=cython.ulonglong)
    cdef void restore_all(self, unsigned long long low, unsigned long long high) noexcept nogil
    @cython.locals(i=cython.ulonglong, wrong=cython.ulonglong)
    cdef unsigned long long check_all(self, unsigned long long low, unsigned long long high) noexcept nogil
    @cython.locals(k=int, i=cython.ulonglong)
    cdef void count_all(self, unsigned long long low, unsigned long long high, bint quiet) noexcept nogil
