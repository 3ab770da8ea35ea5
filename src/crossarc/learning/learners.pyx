"""How weights change after a decision or a structure."""
include "updates.pyx"
include "differences.pyx"
