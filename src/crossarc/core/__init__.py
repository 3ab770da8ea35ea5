"""Types, hashing, buffers and string tables that the native modules share. No I/O, no other package of crossarc."""
