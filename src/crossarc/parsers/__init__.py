"""What assembles systems, decoders, features and weights into parsers, and the file a trained one is kept in."""

from crossarc.parsers.modelfile import pack_strings, read_model, unpack_strings, write_model

__all__ = ["pack_strings", "read_model", "unpack_strings", "write_model"]
