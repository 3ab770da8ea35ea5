from crossarc.core.typedefs cimport int32_t
from crossarc.treebank.field_table cimport FieldTable

cdef class Token:
    cdef readonly FieldTable sentence
    cdef readonly int32_t row

cdef Token make_token(FieldTable sentence, int32_t row)
