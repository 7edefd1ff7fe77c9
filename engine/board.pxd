cimport cython
from engine.bits cimport word as word_t, popcount, lowest, low_half, high_half, join_halves

cdef word_t to_word(object bits)

@cython.final
cdef class Board:
    cdef int s1, s2, s3, s4
    cdef int precedence, promotion, king_move_limit
    cdef bint four_ways, flying, men_take_kings, orthogonal, sideways, mandatory, first_king_wins, unusual
    cdef bint lands_behind, stops_behind_king, instant_removal, may_reverse, special, by_king
    cdef bint down[2]
    cdef bint up[2]
    cdef word_t playable
    cdef word_t last[2]
    cdef word_t side[2]
    cdef word_t kings
    cdef int stm, n, base, best, run
    cdef word_t frm[16384]
    cdef word_t to[16384]
    cdef word_t cap[16384]
    cdef unsigned char promo[16384]
    cdef word_t path[64]
    cdef word_t run_king[2048]
    cdef int run_count[2048]

    cdef inline word_t step(self, word_t b, int k) noexcept nogil
    cdef inline word_t jumpers(self, word_t movers, word_t opp, word_t empty, int k) noexcept nogil
    cdef inline void push(self, word_t frm, word_t to, word_t cap, bint promo) noexcept nogil
    @cython.locals(rank=int, i=int)
    cdef inline void push_cap(self, word_t frm, word_t to, word_t cap, bint promo) noexcept nogil
    @cython.locals(count=int, kings=int, order=int, i=int)
    cdef int rank(self, word_t cap) noexcept nogil
    @cython.locals(t=word_t, b=word_t)
    cdef inline void steps(self, word_t movers, word_t empty, word_t last, int k) noexcept nogil
    @cython.locals(t=word_t)
    cdef inline void slides(self, word_t b, word_t empty, int k) noexcept nogil
    @cython.locals(more=bint, p=word_t, first=word_t, t=word_t)
    cdef inline bint king_jump(self, word_t frm, word_t at, word_t opp, word_t empty, word_t cap, bint promo, int k) noexcept nogil
    @cython.locals(found=bint)
    cdef bint king_jumps(self, word_t frm, word_t at, word_t opp, word_t empty, word_t cap, bint promo) noexcept nogil
    @cython.locals(found=bint, more=bint, far=bint, p=word_t, first=word_t, t=word_t, open_=word_t, k=int, back=int)
    cdef bint special_jumps(self, word_t frm, word_t at, word_t opp, word_t empty, word_t cap, bint promo, int ban, int depth) noexcept nogil
    @cython.locals(last=bint, more=bint, p=word_t, to=word_t, open_=word_t, back=int)
    cdef inline bint man_jump(self, word_t frm, word_t at, word_t opp, word_t empty, word_t cap, int k) noexcept nogil
    @cython.locals(found=bint)
    cdef bint man_jumps(self, word_t frm, word_t at, word_t opp, word_t empty, word_t cap) noexcept nogil
    @cython.locals(j=word_t)
    cdef inline word_t men_that_jump(self, int stm, word_t men, word_t targets, word_t empty) noexcept nogil
    @cython.locals(targets=word_t, j=word_t, b=word_t)
    cdef inline void gen_captures(self, word_t men, word_t kings, word_t opp, word_t empty) noexcept nogil
    @cython.locals(last=word_t, b=word_t)
    cdef inline void gen_quiet(self, word_t men, word_t kings, word_t empty) noexcept nogil
    @cython.locals(own=word_t, opp=word_t, kings=word_t, empty=word_t)
    cdef void gen(self) noexcept nogil
    @cython.locals(own=word_t, opp=word_t, kings=word_t, men=word_t, empty=word_t, j=word_t, found=bint)
    cdef bint gen_forced(self) noexcept nogil
    @cython.locals(own=word_t, opp=word_t, kings=word_t, men=word_t, empty=word_t, targets=word_t, j=word_t, b=word_t, p=word_t, k=int)
    cdef bint can_capture(self, int stm) noexcept nogil
    @cython.locals(stm=int, before=word_t, kings=word_t)
    cdef inline word_t make(self, int i) noexcept nogil
    cdef inline void unmake(self, int i, word_t kings) noexcept nogil
    @cython.locals(mover=int, old=int, new=int, count=int, king=word_t)
    cdef void make_runs(self, int i, bint was_man) noexcept nogil
    @cython.locals(base=int, end=int, i=int, leaves=cython.ulonglong, kings=word_t)
    cdef unsigned long long count_leaves(self, int depth) noexcept nogil
