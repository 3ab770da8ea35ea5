from crossarc.core.typedefs cimport hash_t, int32_t


cdef inline hash_t grouped(hash_t key, int32_t group) noexcept nogil:
    """The key of a feature within a group of instances: groups share none."""
    return key ^ (<hash_t>group * <hash_t>0x9E3779B97F4A7C15)
