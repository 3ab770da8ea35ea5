"""How weights change after a decision or a structure."""
include "updates.pxi"
include "differences.pxi"
include "hildreth.pxi"
