cdef extern from *:
    """
    #ifndef DAMIER_BITS
    #define DAMIER_BITS
    typedef unsigned long long damier_half;
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define damier_prefetch(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
    static __forceinline int damier_popcount64(damier_half x) { return (int)__popcnt64(x); }
    static __forceinline int damier_lowest64(damier_half x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
    #else
    #define damier_prefetch(p) __builtin_prefetch(p)
    #define damier_popcount64(x) __builtin_popcountll(x)
    #define damier_lowest64(x) __builtin_ctzll(x)
    #endif
    #ifdef DAMIER_WIDE
    typedef unsigned __int128 damier_word;
    #define damier_low(x) ((damier_half)(x))
    #define damier_high(x) ((damier_half)((x) >> 64))
    #define damier_join(h, l) ((damier_word)(h) << 64 | (l))
    #define damier_popcount(x) (damier_popcount64(damier_low(x)) + damier_popcount64(damier_high(x)))
    #define damier_lowest(x) (damier_low(x) ? damier_lowest64(damier_low(x)) : 64 + damier_lowest64(damier_high(x)))
    #else
    typedef damier_half damier_word;
    #define damier_low(x) (x)
    #define damier_high(x) ((damier_half)0)
    #define damier_join(h, l) ((void)(h), (damier_half)(l))
    #define damier_popcount(x) damier_popcount64(x)
    #define damier_lowest(x) damier_lowest64(x)
    #endif
    #endif
    """
    ctypedef unsigned long long word "damier_word"
    int popcount "damier_popcount"(word x) noexcept nogil
    int lowest "damier_lowest"(word x) noexcept nogil
    unsigned long long low_half "damier_low"(word x) noexcept nogil
    unsigned long long high_half "damier_high"(word x) noexcept nogil
    word join_halves "damier_join"(unsigned long long high, unsigned long long low) noexcept nogil
    void prefetch "damier_prefetch"(void *p) noexcept nogil
