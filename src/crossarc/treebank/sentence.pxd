from crossarc.treebank.field_table cimport FieldTable

cdef class Sentence(FieldTable):
    cdef dict cache            # columns and arrays that were asked for
