cimport cython
from engine.bits cimport word as word_t, popcount, lowest
from engine.board cimport Board
from engine.egdb_score cimport Scorer
from engine.evaluate cimport Evaluation
from engine.line cimport Line
from engine.table cimport Table

@cython.final
cdef class Search:
    cdef readonly Line line
    cdef Board board
    cdef readonly Evaluation evaluation
    cdef readonly Scorer databases
    cdef Table table
    cdef object poller
    cdef bint mandatory
    cdef volatile int stop
    cdef int blocked_score, contempt, seldepth
    cdef readonly int root_count
    cdef int table_depth, single_reply, iir_depth, lmr_depth, lmr_moves, lmr_history, lmp_depth, lmp_moves
    cdef int futility_depth, futility_margin, futility_slope, probcut_depth, probcut_margin, threat_plies
    cdef int reduction[4096]
    cdef unsigned long long nodes, node_limit, next_poll, leaves, leaf_plies
    cdef int order[16384]
    cdef int history[32768]
    cdef int killer[256]
    cdef int pv[16384]
    cdef int pv_length[129]
    cdef bint root_allowed[2048]
    cdef int root_order[2048]

    cdef void look(self) noexcept nogil
    cdef void ask(self) noexcept
    cdef inline int slot(self, int i) noexcept nogil
    @cython.locals(place=int)
    cdef inline int place(self, int i) noexcept nogil
    @cython.locals(i=int, k=int, place=int, taken=int)
    cdef void rank_moves(self, int base, int end, int first, int ply) noexcept nogil
    @cython.locals(i=int, best=int)
    cdef inline int pick(self, int base, int end) noexcept nogil
    @cython.locals(k=int, bonus=int, i=int)
    cdef void learn(self, int base, int best, int depth, int ply, int tried) noexcept nogil
    @cython.locals(h=int, drag=int)
    cdef inline void adjust(self, int k, int bonus) noexcept nogil
    cdef inline int leaf(self, int ply) noexcept nogil
    cdef inline void enter(self, int ply) noexcept nogil
    cdef inline unsigned long long key(self) noexcept nogil
    cdef inline bint is_drawn(self) noexcept nogil
    cdef inline int drawn(self, int ply) noexcept nogil
    cdef inline int lost(self, int ply) noexcept nogil
    @cython.locals(base=int, end=int, best=int, i=int, score=int)
    cdef int qsearch(self, int alpha, int beta, int looks, int ply) noexcept nogil
    @cython.locals(base=int, end=int, best=int, best_move=int, bound=int, first=int, tried=int, i=int, score=int, is_pv=bint, quiet=bint, ranked=bint, static=int, limit=int, reduced=int, key=cython.ulonglong, data=cython.ulonglong)
    cdef int search(self, int alpha, int beta, int depth, int ply) noexcept nogil
    cdef inline int to_table(self, int score, int ply) noexcept nogil
    cdef inline int from_table(self, int score, int ply) noexcept nogil
    @cython.locals(n=int, j=int)
    cdef inline void keep_pv(self, int move, int ply) noexcept nogil
    @cython.locals(best=int, tried=int, i=int, score=int)
    cdef int root(self, int alpha, int beta, int depth) noexcept nogil
