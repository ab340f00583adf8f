"""Names of JAX, autograd, PyTorch and others are answered with the name here, and every example runs."""

from __future__ import annotations

import contextlib
import inspect
import io
import pickle
import re
import runpy
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import mlirad as ad
from docs.neighbours import SYSTEMS, TOPICS
from mlirad.errors import MissingAttributeError, MissingImportError
from mlirad.frontend.compiling.options import CompileOptions
from mlirad.neighbours.keywords import KEYWORDS
from mlirad.neighbours.methods import METHODS

ENTRIES = {entry.names[0]: entry for entries in TOPICS.values() for entry in entries}
FUNCTIONS = [e for entries in TOPICS.values() if entries not in (METHODS, KEYWORDS) for e in entries]
LAST = sorted({name.split(".")[-1] for entry in FUNCTIONS for name in entry.names} - set(ad.__all__))
MODULES = (ad, ad.random, ad.optimize, ad.tree, ad.scipy)
IMPORTS = "import numpy as np\nimport mlirad as ad\n"


def said(code: str, **names: Any) -> str:
    """The error that a line of code raises."""
    with pytest.raises(ad.MliradError) as caught:
        exec(compile(code, "user.py", "exec"), {"ad": ad, "np": np, **names})
    assert caught.value.location is not None
    return str(caught.value)


@pytest.mark.parametrize("case", ENTRIES)
def test_the_example_runs(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.py").write_text(f"{IMPORTS}{ENTRIES[case].example}\n")
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path("example.py")


def test_what_is_here_exists_and_the_example_shows_it() -> None:
    for entry in ENTRIES.values():
        if " " in entry.here:
            assert re.match(r"(is|has|are) ", entry.here)
        elif entry.here.partition(".")[0] in ("ad", "np", "scipy"):
            assert callable(eval(entry.here, {"ad": ad, "np": np, "scipy": scipy}))
            assert entry.here in entry.example
        else:
            assert re.search(rf"\b{entry.here}\b", entry.example), entry


def test_names_have_a_known_system_and_one_meaning() -> None:
    for entries in (FUNCTIONS, METHODS, KEYWORDS):
        meanings: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            for name in entry.names:
                assert name.partition(".")[0] in SYSTEMS
                meanings[name.split(".")[-1]].add(entry.here)
        assert [name for name, known in meanings.items() if len(known) > 1] == []


def test_functions_of_the_table_are_not_there_already() -> None:
    """A name that is one here too would never be looked up, or its meaning would be another."""
    shadowed = [e.names for e in FUNCTIONS if all(n.split(".")[-1] in ad.__all__ for n in e.names)]
    assert [names for names in shadowed if not any(n.startswith("jax.lax.") for n in names)] == []
    for entry in METHODS:
        assert not [n for n in entry.names if hasattr(np.ndarray, n.split(".")[-1])], entry


@pytest.mark.parametrize("name", LAST)
def test_a_name_is_told_what_it_is_here(name: str) -> None:
    entries = {e.example: e for e in FUNCTIONS if any(n.split(".")[-1] == name for n in e.names)}
    text = said(f"ad.{name}")
    assert text.startswith(f"user.py:1: ad has no {name}: ")
    (entry,) = [e for e in entries.values() if e.predicate in text]
    assert text.endswith(f"\n  hint: write {entry.example}")
    assert not hasattr(ad, name)
    assert f"ad has no {name}: " in said(f"from mlirad import {name}")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ad.lax.scan", "ad has no lax.scan: jax.lax.scan is ad.scan here"),
        ("ad.lax.fori_loop(0, 3, None, 0)", "jax.lax.fori_loop is ad.fori_loop here"),
        ("ad.nn.relu(1.0)", "jax.nn.relu is np.maximum(x, 0) here"),
        ("ad.tree_util.tree_map", "jax.tree_util.tree_map is ad.tree.map here"),
        ("ad.lax.unknown", "ad has no lax: jax.lax has its functions in ad here"),
        ("from mlirad import lax", "ad has no lax: jax.lax has its functions in ad here"),
        ("from mlirad import numpy, jnp", "ad has no jnp: jax.jnp is NumPy itself here"),
        ("ad.optimize.Adam(1e-3)", "ad.optimize has no Adam: torch.optim.Adam is ad.optimize.adam here"),
        ("ad.random.PRNGKey(0)", "ad.random has no PRNGKey: jax.random.PRNGKey is ad.random.key here"),
        ("ad.tree.tree_map", "ad.tree has no tree_map: jax.tree_map is ad.tree.map here"),
        ("ad.tree.flatten_up_to", "ad.tree has no flatten_up_to\n  hint: dir(ad.tree) lists what it has"),
        ("ad.sin(1.0)", "ad has no sin\n  hint: write np.sin"),
        ("ad.solve", "hint: write np.linalg.solve"),
        ("ad.gammaln", "hint: write scipy.special.gammaln"),
        ("ad.value_and_gradd", "hint: it has ad.value_and_grad"),
        ("ad.hesian", "hint: it has ad.hessian"),
        ("ad.nonsense", "hint: dir(ad) lists what it has"),
    ],
)
def test_names_that_are_asked(code: str, expected: str) -> None:
    assert expected in said(code)


def test_unknown_names_are_what_python_raises_too() -> None:
    with pytest.raises(AttributeError):
        _ = getattr(ad, "custom_vjp")  # noqa: B009
    with pytest.raises(ImportError):
        exec("from mlirad import custom_vjp")
    assert issubclass(MissingAttributeError, ad.UnsupportedError)
    assert issubclass(MissingImportError, ad.UnsupportedError)
    assert not any(
        hasattr(module, name) for module in MODULES for name in ("pmap", "_private", "__wrapped__")
    )
    with pytest.raises(AttributeError) as caught:
        _ = getattr(ad, "__wrapped__")  # noqa: B009
    assert type(caught.value) is AttributeError


@pytest.mark.parametrize("name", sorted({n.split(".")[-1] for entry in METHODS for n in entry.names}))
def test_a_method_is_told_what_it_is_here(name: str) -> None:
    text = said(f"ad.jit(lambda x: x.{name})(np.ones(3))")
    assert f"a traced array has no attribute {name!r}: " in text
    assert any(f"{n} {e.predicate}\n  hint: write {e.example}" in text for e in METHODS for n in e.names)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("exp", "write np.exp(x)"),
        ("cholesky", "write np.linalg.cholesky(x)"),
        ("erf", "write scipy.special.erf(x)"),
        ("zeros", "dir(np.ndarray) lists"),
        ("ctypes", "has no memory"),
        ("itemset", "write x[i] = v"),
    ],
)
def test_other_attributes_have_hints(name: str, hint: str) -> None:
    assert hint in said(f"ad.jit(lambda x: x.{name})(np.ones(3))")
    assert not ad.jit(lambda x: hasattr(x, name))(1.0)


def test_complex_arrays_are_told_too() -> None:
    assert "torch.Tensor.detach is ad.stop_gradient here" in said("ad.jit(lambda z: z.detach())(1j)")
    assert "write it with z.real and z.imag" in said("ad.jit(lambda z: z.nonsense)(1j)")


OPTIONED = [
    ("allow_int", "ad.grad(np.sin, allow_int=True)"),
    ("argnum", "ad.grad(np.sin, argnum=0)"),
    ("donate_argnums", "ad.jit(np.sin, donate_argnums=0)"),
    ("backend", "ad.jit(np.sin, backend='cpu')"),
    ("in_dims", "ad.vmap(np.sin, in_dims=0)"),
    ("unroll", "ad.scan(np.add, 0.0, np.ones(3), unroll=2)"),
    ("policy", "ad.checkpoint(np.sin, policy=None)"),
    ("create_graph", "ad.hvp(np.sin, (1.0,), (1.0,), create_graph=True)"),
    ("size", "ad.random.normal(ad.random.key(0), size=3)"),
    ("low", "ad.random.uniform(ad.random.key(0), low=1.0)"),
    ("lr", "ad.optimize.adam(lr=1e-3)"),
    ("betas", "ad.optimize.adam(1e-3, betas=(0.9, 0.99))"),
    ("nondiff_argnums", "ad.custom_derivative(np.sin, nondiff_argnums=0)"),
    ("body_fun", "ad.fori_loop(0, 3, body_fun=np.add, init=1.0)"),
]


@pytest.mark.parametrize(("name", "code"), OPTIONED)
def test_an_argument_is_told_what_it_is_here(name: str, code: str) -> None:
    text = said(code)
    assert any(f"{n} {e.predicate}\n  hint: write {e.example}" in text for e in KEYWORDS for n in e.names)
    assert re.search(rf"\.{name} (is|has) ", text)


def test_options_of_other_functions_are_told_where_they_are() -> None:
    text = said("ad.grad(np.sin, dynamic='x:0')")
    assert "there is no option 'dynamic' of this function\n  hint: write ad.jit(" in text
    assert "no option 'argnums' of this function\n  hint: write ad.grad(" in said("ad.jit(np.sin, argnums=0)")


def test_arguments_of_no_table_are_told_what_there_is() -> None:
    assert "there is no option 'chunks'\n  hint: there are interpret, method" in said(
        "ad.jit(np.sin, chunks=1)"
    )
    text = said("ad.scan(np.add, 0.0, np.ones(3), size=2)")
    assert "hint: it is called as scan(f, init, xs=None" in text
    for entry in KEYWORDS:
        assert not {name.split(".")[-1] for name in entry.names} & set(CompileOptions.__annotations__)


def power(x: Any, n: int) -> Any:
    assert type(n) is int
    return x**n


def test_static_argnums_are_positions_of_static_arguments() -> None:
    x = np.array([1.0, 2.0])
    for made in (
        ad.jit(power, static_argnums=1),
        ad.jit(power, static_argnums=(1,)),
        ad.jit(power, static_argnums=-1),
        ad.jit(power, static_argnums=np.int64(1)),
        ad.jit(static_argnums=[1])(power),
        ad.jit(power, static_argnums=1, static_argnames="n"),
        pickle.loads(pickle.dumps(ad.jit(power, static_argnums=1))),
    ):
        assert made(x, 3).tolist() == made(x, n=3).tolist() == [1.0, 8.0]
    assert ad.grad(power, static_argnums=1)(2.0, 3) == 12.0
    assert ad.value_and_grad(power, static_argnums=1)(2.0, 3) == (8.0, 12.0)
    assert ad.hessian(power, static_argnums=1)(2.0, 3) == 12.0
    assert ad.hessian(lambda x, n: np.sum(x**n), static_argnums=1, sparse=True)(x, 3).toarray().tolist() == [
        [6.0, 0.0],
        [0.0, 12.0],
    ]
    for jacobian in (ad.jacobian, ad.jacfwd, ad.jacrev):
        assert jacobian(power, static_argnums=1)(x, 2).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert ad.vmap(power, static_argnums=1)(x, 2).tolist() == [1.0, 4.0]
    assert repr(ad.jit(power, static_argnums=1)) == "<mlirad.jit(power, static_argnames=('n',)): (x, n)>"
    assert ad.jit(power, static_argnums=None, static_argnames=None, donate=None) is not None
    assert "static_argnums" in inspect.signature(ad.grad).parameters


@pytest.mark.parametrize("given", [2, -3, True, 1.5, "m", b"n"])
@pytest.mark.parametrize(
    ("option", "says", "hint"),
    [
        ("static_argnums", "could be static", "static_argnames for names, static_argnums for positions"),
        ("static_argnames", "could be static", "static_argnames for names, static_argnums for positions"),
        ("donate", "could be donated", "name one by its name or position"),
    ],
)
def test_positions_of_no_parameter(option: str, says: str, hint: str, given: Any) -> None:
    text = said(f"ad.jit(power, {option}=[given])", power=power, given=given)
    assert f"power has no parameter {given!r} that {says}" in text
    assert text.endswith(f"{hint}: it has x, n")


def test_names_and_positions_are_told_apart() -> None:
    assert "static_argnames: power has no parameter 1 that" in said(
        "ad.jit(power, static_argnames=1)", power=power
    )
    assert "static_argnums: power has no parameter 'n'" in said(
        "ad.jit(power, static_argnums='n')", power=power
    )
    assert "a function is needed, got a float" in said("ad.grad(3.0, static_argnums=0)")


def test_positions_count_parameters_that_take_positions() -> None:
    assert ad.jit(lambda x, *, n: x**n, static_argnames="n")(3.0, n=2) == 9.0
    assert "has no parameter 1 that" in said("ad.jit(lambda x, *, n: x, static_argnums=1)")
    assert "has no parameter 1 that" in said("ad.jit(lambda x, *xs: x, static_argnums=1)")
