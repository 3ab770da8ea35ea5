"""Build crossarc with checks into an environment of its own, and run Python there.

    python -m fuzz.build address FOLDER                           # the native tests under AddressSanitizer and UBSan
    python -m fuzz.build checks FOLDER -m fuzz run decoders       # anything else, with the checks of Cython
    python -m fuzz.build coverage FOLDER -m fuzz.coverage reader  # for fuzzing that follows the code, with clang

The environment has its own crossarc. Everything else comes from the environment that runs this script, which needs what
an editable installation needs (CONTRIBUTING.md). A second call builds again what changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

BUILDS = {
    "address": ["buildtype=debugoptimized", "optimization=1", "b_sanitize=address,undefined", "b_lundef=false"],
    "coverage": ["buildtype=debugoptimized", "optimization=1", "b_lundef=false"],
    "checks": ["buildtype=debugoptimized", "optimization=1", "checks=true"],
}
# Frame pointers are for reports that can be read; whatever UBSan finds ends the process.
COMPILERS = {
    "address": {"CFLAGS": "-fno-omit-frame-pointer -fno-sanitize-recover=all"},
    "coverage": {"CC": "clang", "CFLAGS": "-fsanitize=fuzzer-no-link"},
}
NATIVE_TESTS = (
    *(
        "core",
        "decode",
        "evaluation",
        "factors",
        "features",
        "learning",
        "neural",
        "structure",
        "tagging",
        "transforms",
    ),
    *("transitions", "treebank"),
)


def main() -> int:
    """Build, and run what the arguments say."""
    kind, folder, *command = sys.argv[1:] if len(sys.argv) > 2 else ("", "")
    if kind not in BUILDS:
        print(f"{__doc__}\nKinds of builds: {', '.join(BUILDS)}", file=sys.stderr)
        return 2
    python = build(kind, Path(folder).resolve())
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{name}" for name in NATIVE_TESTS)]
    return subprocess.run([python, *(command or tests)], cwd=ROOT, env=environment(kind), check=False).returncode


def build(kind: str, folder: Path) -> Path:
    """Install crossarc into an environment in a folder, and return its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, symlinks=True)
        # As a plain path, so that an editable installation there stays unknown here.
        libraries = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
        (libraries / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    options = [f"-Csetup-args=-D{option}" for option in BUILDS[kind]]
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
    ]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**COMPILERS.get(kind, {}), **os.environ, "PATH": path}
    command += ["--force-reinstall", f"-Cbuild-dir={folder / 'build'}", *options, str(ROOT)]
    subprocess.run(command, env=environment, check=True)
    if kind == "coverage":
        needs_fuzzer(folder)
    return python


def needs_fuzzer(folder: Path) -> None:
    """Make the native modules report to the library of the fuzzer."""
    (library,) = Path(sysconfig.get_path("purelib"), "atheris").glob("core_with_libfuzzer*")
    for module in folder.glob("lib/python*/site-packages/crossarc/**/*.so"):
        subprocess.run(["patchelf", "--add-needed", library, module], check=True)


def environment(kind: str) -> dict[str, str]:
    """The variables that a process with the build needs."""
    if kind != "address":
        return dict(os.environ)
    # The C++ library comes early, or the sanitizer does not know the exceptions of other packages.
    libraries = [library("libasan.so"), library("libstdc++.so")]
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }


def library(name: str) -> str:
    """The path of a library of the compiler."""
    command = [os.environ.get("CC", "cc"), f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
