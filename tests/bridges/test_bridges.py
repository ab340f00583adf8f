"""Bridges to JAX and PyTorch: derivatives of every order are theirs. Without a package its tests skip."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mlirad as ad
from examples import jax_step, torch_training
from mlirad.bridges.to_torch import plain_tensor

RANDOM = np.random.default_rng(0)
W, X = RANDOM.normal(size=(3, 4)), RANDOM.normal(size=(5, 3))


def layer(params, x):
    return {"out": np.tanh(x @ params["w"]) * np.sin(np.sum(params["w"])), "largest": np.argmax(x, axis=1)}


def flat_layer(w, x):
    return np.tanh(x @ w) * np.sin(np.sum(w))


def error(a, b) -> float:
    return float(np.max(np.abs(np.asarray(a) - np.asarray(b))))


def test_a_bridge_without_its_package_says_so_in_a_sentence(monkeypatch) -> None:
    for name in ("jax", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    for bridge, package in ((ad.from_jax, "jax"), (ad.to_jax, "jax"), (ad.to_torch, "torch")):
        with pytest.raises(
            ad.UnsupportedError, match=f"needs the package {package}, which cannot be imported"
        ):
            bridge(flat_layer)


def test_neither_package_is_imported_before_it_is_needed() -> None:
    code = (
        "import sys, mlirad as ad; ad.from_stablehlo; ad.to_jax; "
        "assert not {'jax', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def jax():
    package = pytest.importorskip("jax")
    with package.enable_x64(True):
        yield package


def test_a_function_of_jax_has_its_values_and_derivatives(jax) -> None:
    def loss(params, x):
        return jax.numpy.sum(jax.nn.softmax(x @ params["w"]) ** 2), (x[0],)

    params = {"w": W}
    f = ad.from_jax(loss, params, X)
    value, (row,) = f(params, X)
    assert error(value, loss(params, X)[0]) < 1e-12 and error(row, X[0]) == 0
    gradient = ad.grad(lambda p: f(p, X)[0])(params)["w"]
    assert error(gradient, jax.grad(lambda p: loss(p, X)[0])(params)["w"]) < 1e-12
    hessian = ad.hessian(lambda w: f({"w": w}, X)[0])(W)
    assert error(hessian, jax.hessian(lambda w: loss({"w": w}, X)[0])(W)) < 1e-12
    batch = np.stack([X, X + 1])
    mapped = ad.vmap(lambda x: f(params, x)[0])(batch)
    assert error(mapped, jax.vmap(lambda x: loss(params, x)[0])(batch)) < 1e-12


def test_stop_gradient_of_jax_is_kept(jax) -> None:
    f = ad.from_jax(lambda x: jax.lax.stop_gradient(x) * x)
    assert ad.grad(f)(3.0) == 3.0


def test_linear_solves_of_jax_have_derivatives_by_the_matrix(jax) -> None:
    def solved(a, b):
        return (jax.numpy.linalg.solve(a, b) ** 2).sum()

    a, b = RANDOM.normal(size=(3, 3)) + 3 * np.eye(3), X[0]
    found = ad.grad(ad.from_jax(solved), (0, 1))(a, b)
    assert max(map(error, found, jax.grad(solved, (0, 1))(a, b))) < 1e-12


def test_errors_of_from_jax_name_the_users_line(jax) -> None:
    def halved(x):
        return x.astype(jax.numpy.float16).sum()

    message = r"test_bridges\.py:\d+:\d+: stablehlo\.convert: the language has no floats of type f16"
    with pytest.raises(ad.UnsupportedError, match=message):
        ad.from_jax(halved, np.ones(4))
    with pytest.raises(ad.ParseError, match=r"stablehlo\.fft is not an op of StableHLO that mlirad reads"):
        ad.from_jax(lambda x: abs(jax.numpy.fft.rfft(x)), np.ones(4))


def test_a_function_in_jax_has_derivatives_of_every_order(jax) -> None:
    jnp = jax.numpy
    f = ad.to_jax(flat_layer)

    def reference(w, x):
        return jnp.tanh(x @ w) * jnp.sin(jnp.sum(w))

    def total(g):
        return lambda w, x: jnp.sum(g(w, x) ** 2)

    assert error(jax.jit(f)(W, X), reference(W, X)) < 1e-12
    assert error(jax.jit(jax.grad(total(f)))(W, X), jax.grad(total(reference))(W, X)) < 1e-12
    assert error(jax.hessian(total(f))(W, X), jax.hessian(total(reference))(W, X)) < 1e-11
    push = [jax.jvp(total(g), (W, X), (W, X))[1] for g in (f, reference)]
    assert error(*push) < 1e-11
    batch = np.stack([X, X + 1])
    mapped = [jax.jit(jax.vmap(jax.grad(total(g)), (None, 0)))(W, batch) for g in (f, reference)]
    assert error(*mapped) < 1e-11


def test_structures_and_integers_in_jax(jax) -> None:
    f = ad.to_jax(layer)
    found = f({"w": W}, X)
    assert error(found["out"], flat_layer(W, X)) < 1e-12
    assert found["largest"].tolist() == np.argmax(X, axis=1).tolist()
    gradient = jax.grad(lambda p: f(p, X)["out"].sum())({"w": W})["w"]
    assert error(gradient, ad.grad(lambda w: np.sum(flat_layer(w, X)))(W)) < 1e-12
    with pytest.raises(ad.DtypeError, match="dtype float16 cannot be handed to mlirad"):
        f({"w": W}, X.astype(np.float16))


def test_a_function_in_torch_has_derivatives_of_every_order() -> None:
    torch = pytest.importorskip("torch")
    f = ad.to_torch(flat_layer)
    w, x = torch.tensor(W, requires_grad=True), torch.tensor(X, requires_grad=True)
    assert torch.autograd.gradcheck(f, (w, x))
    assert torch.autograd.gradgradcheck(f, (w, x))
    pushed = torch.func.jvp(lambda w: f(w, x.detach()), (w.detach(),), (w.detach(),))[1]
    assert error(pushed, ad.jvp(lambda w: flat_layer(w, X), (W,), (W,))[1]) < 1e-12
    batch = torch.stack([x.detach(), x.detach() + 1])
    assert error(torch.func.vmap(f, (None, 0))(w.detach(), batch)[1], flat_layer(W, X + 1)) < 1e-12
    found = ad.to_torch(layer)({"w": w}, x)
    assert not found["largest"].requires_grad and found["out"].requires_grad


def test_wrong_tensors_are_told_in_a_sentence() -> None:
    torch = pytest.importorskip("torch")
    f = ad.to_torch(flat_layer)
    w, x = torch.tensor(W), torch.tensor(X)
    with pytest.raises(ad.DtypeError, match=r"a tensor of dtype torch\.float16 cannot be handed to mlirad"):
        f(w.half(), x)
    with pytest.raises(ad.ArgumentError, match="a tensor on meta cannot be handed to mlirad"):
        f(w.to("meta"), x)
    with pytest.raises(ad.ArgumentError, match=r"a tensor of layout torch\.sparse_coo cannot be handed"):
        f(w.to_sparse(), x)


def test_tensors_are_read_where_they_lie() -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones(1000, dtype=torch.float64)
    assert plain_tensor(torch, x).ctypes.data == x.data_ptr()


def test_the_examples_need_their_package_and_nothing_else(capsys, monkeypatch) -> None:
    for name in ("jax", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    torch_training.main()
    jax_step.main()
    assert capsys.readouterr().out.splitlines() == [
        "this example needs PyTorch: pip install torch",
        "this example needs JAX: pip install jax",
    ]


def test_a_training_loop_in_torch() -> None:
    losses, difference = torch_training.trained(pytest.importorskip("torch"), steps=30)
    assert losses[-1][1] < losses[0][1] and difference < 1e-12


def test_a_step_compiled_by_jax() -> None:
    energies, difference = jax_step.relaxed(pytest.importorskip("jax"), steps=10)
    assert energies[-1][1] < energies[0][1] and difference < 1e-12
