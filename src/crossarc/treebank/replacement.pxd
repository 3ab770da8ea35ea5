from crossarc.treebank.field_table cimport FieldTable

cdef bytes replaced_bytes(FieldTable sentence, object comments, object graph, dict columns)
