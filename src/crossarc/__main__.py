"""`python -m crossarc` is the command `crossarc`."""

from crossarc.cli import main

main()
