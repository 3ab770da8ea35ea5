"""Write the C code of native modules with Cython, all those of a package in one process; called by `meson.build`.

    generate_c.py --source-root src --output-dir build --depfile decode.d src/x.pyx src/y.pyx -- OPTIONS OF CYTHON

Starting Cython takes longer than most modules do. A module whose sources did not change keeps its C file.
"""

import argparse
import os
import sys
from pathlib import Path

from Cython import __version__
from Cython.Build.Dependencies import create_dependency_tree
from Cython.Compiler.CmdLine import parse_command_line
from Cython.Compiler.Main import CompilationOptions, Context, compile_single


def arguments() -> tuple[argparse.Namespace, list[str]]:
    """The arguments of this script and those for Cython, which follow `--`."""
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--source-root", type=Path, required=True)
    parser.add_argument("--output-dir", type=Path, required=True)
    parser.add_argument("--depfile", type=Path, required=True)
    parser.add_argument("sources", type=Path, nargs="+")
    return parser.parse_args(sys.argv[1:split]), sys.argv[split + 1 :]


def is_current(output: Path, sources: set[Path], same_options: bool) -> bool:
    """Whether a C file was made with the same options and after the last change of its sources."""
    if not (same_options and output.exists()):
        return False
    made = output.stat().st_mtime_ns
    return all(path.stat().st_mtime_ns < made for path in sources)


def write_depfile(path: Path, output: Path, sources: set[Path]) -> None:
    """Tell ninja which files the C code depends on."""
    names = " ".join(str(source).replace(" ", "\\ ") for source in sorted(sources))
    path.write_text(f"{output}: {names}\n", encoding="utf-8")


def main() -> int:
    """Write the C files that are not current; return 1 if there are errors."""
    known, cython_args = arguments()
    outputs = [known.output_dir / path.with_suffix(".c").name for path in known.sources]
    # Paths from the source root, so that the C code does not depend on where it is built.
    sources = [path.resolve().relative_to(known.source_root.resolve()) for path in known.sources]
    targets = [path.resolve() for path in outputs]
    stamp = known.depfile.with_suffix(".options").resolve()
    depfile = known.depfile.resolve()
    os.chdir(known.source_root)

    options, _ = parse_command_line([*cython_args, *map(str, sources)])
    tree = create_dependency_tree(Context.from_options(options), quiet=True)
    used = [{Path(name).resolve() for name in tree.all_dependencies(str(path))} for path in sources]
    write_depfile(depfile, outputs[0], set().union(*used))

    wanted = "\n".join([__version__, *cython_args])
    same_options = stamp.exists() and stamp.read_text(encoding="utf-8") == wanted
    stamp.unlink(missing_ok=True)
    errors = 0
    for source, target, files in zip(sources, targets, used, strict=True):
        if is_current(target, files, same_options):
            continue
        result = compile_single(str(source), CompilationOptions(options, output_file=str(target)), None)
        if result.num_errors:
            target.unlink(missing_ok=True)
            errors += result.num_errors
    if not errors:
        stamp.write_text(wanted, encoding="utf-8")
    return min(errors, 1)


if __name__ == "__main__":
    sys.exit(main())
