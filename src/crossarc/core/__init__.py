"""Types, hashing, buffers and string tables that the native modules share. No I/O, no other package of crossarc."""

# Of the declarations for native modules of other packages; as CROSSARC_PXD_VERSION in typedefs.pxd.
PXD_VERSION = 1
