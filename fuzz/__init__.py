"""Generated and damaged inputs for everything that reads bytes or takes arguments: `python -m fuzz --help`."""
