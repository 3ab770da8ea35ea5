"""Every example in a docstring runs, those of native modules too."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import crossarc

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(crossarc.__path__, "crossarc.")
    if not module.name.endswith("__main__")
)


def documented(module):
    """The docstrings of a module, its functions, its classes and their methods."""
    yield module.__name__, module.__doc__
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        yield name, getattr(value, "__doc__", None)
        if inspect.isclass(value):
            for inner, member in vars(value).items():
                yield f"{name}.{inner}", getattr(member, "__doc__", None)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for place, text in documented(module):
        if isinstance(text, str) and ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, dict(vars(module)), f"{name}.{place}", None, 0)
            assert runner.run(test).failed == 0, place


def test_there_are_examples():
    found = sum(">>>" in (text or "") for name in MODULES for _, text in documented(importlib.import_module(name)))
    assert found >= 20
