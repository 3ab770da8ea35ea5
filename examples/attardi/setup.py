"""Builds the native module with the declarations of the installed crossarc."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import crossarc

setup(
    ext_modules=cythonize(
        [Extension("attardi", ["attardi.pyx"])],
        build_dir="build",
        include_path=[str(Path(crossarc.__file__).parents[1])],
        compiler_directives={"language_level": 3, "cdivision": True, "freethreading_compatible": True},
    )
)
