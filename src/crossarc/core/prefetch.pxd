# Ask memory for what will be needed soon, where the compiler knows how.
cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define CROSSARC_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define CROSSARC_PREFETCH(address)
    #endif
    """
    void prefetch "CROSSARC_PREFETCH" (const void*) noexcept nogil
