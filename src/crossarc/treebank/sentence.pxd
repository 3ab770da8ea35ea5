from crossarc.treebank.fields cimport FieldTable


cdef bytes replaced_bytes(FieldTable sentence, object comments, object graph, dict columns)


cdef class Sentence(FieldTable):
    cdef dict cache            # columns and arrays that were asked for
