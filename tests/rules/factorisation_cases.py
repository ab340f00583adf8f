"""Programs of one factorisation or linear system each, at points where it is differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng(11)


def matrices(*shape: int) -> Any:
    """Matrices that are far from singular, with eigenvalues and singular values that are far from equal."""
    rows, columns = shape[-2:]
    shift = np.zeros((rows, columns))
    np.fill_diagonal(shift, 2.0 + 1.5 * np.arange(min(rows, columns)))
    return RNG.uniform(-0.4, 0.4, shape) + shift


def complex_matrices(*shape: int) -> Any:
    """The same of complex numbers, as pairs."""
    return np.stack([matrices(*shape), RNG.uniform(-0.4, 0.4, shape)], -1)


def type_text(*shape: int, element: str = "f64") -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def case(op: str, *shapes: tuple[int, ...], result: tuple[int, ...]) -> tuple[str, list[Any]]:
    """A program of one op of one or two operands."""
    names, types = ["%a", "%b"][: len(shapes)], [type_text(*s) for s in shapes]
    keyword, _, flags = op.partition(" {")
    flags = f" {{{flags}" if flags else ""
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    text = (
        f"func.func @f({arguments}) -> {type_text(*result)} {{\n"
        f"%r = array.{keyword} {', '.join(names)}{flags} : {', '.join(types)} -> {type_text(*result)}\n"
        f"func.return %r : {type_text(*result)}\n}}"
    )
    return text, [matrices(*s) for s in shapes]


def complex_case(op: str, *shapes: tuple[int, ...], result: tuple[int, ...]) -> tuple[str, list[Any]]:
    """A program of one op on complex matrices; `result` is the type's shape, with that of pairs."""
    name, _, flags = op.partition(" {")
    op = f"{name} {{complex{', ' + flags if flags else '}'}"
    text, _ = case(op, *((*s, 2) for s in shapes), result=result)
    return text, [complex_matrices(*s) for s in shapes]


def moduli_case(op: str, shape: tuple[int, ...], result: tuple[int, ...]) -> tuple[str, list[Any]]:
    """The squared moduli of vectors, which do not depend on the factors of modulus 1 that are free."""
    given, own, squares = type_text(*shape, 2), type_text(*result, 2), type_text(*result)
    text = (
        f"func.func @f(%a: {given}) -> {squares} {{\n"
        f"%v = array.{op} %a {{complex}} : {given} -> {own}\n"
        f"%s = array.mul %v, %v : {own}\n"
        f"%r = array.sum %s {{dims = [{len(result)}]}} : {own} -> {squares}\n"
        f"func.return %r : {squares}\n}}"
    )
    return text, [complex_matrices(*shape)]


def complex_triangles() -> dict[str, tuple[str, list[Any]]]:
    found: dict[str, tuple[str, list[Any]]] = {}
    for flags in ("", "transposed", "upper, transposed", "upper, unit"):
        for n, columns in ((3, 1), (6, 2)):
            op = f"triangular_solve {{{flags}}}" if flags else "triangular_solve"
            found[f"complex {op} {n}"] = complex_case(
                op, (2, n, n), (2, n, columns), result=(2, n, columns, 2)
            )
    return found


def triangles() -> dict[str, tuple[str, list[Any]]]:
    found: dict[str, tuple[str, list[Any]]] = {}
    for flags in ("", "upper", "transposed", "upper, transposed", "unit", "upper, unit"):
        for n, columns in ((3, 1), (6, 2)):
            op = f"triangular_solve {{{flags}}}" if flags else "triangular_solve"
            shape = (2, n, columns)
            found[f"{op} {n}"] = case(op, (2, n, n), shape, result=shape)
    return found


FACTORISATION_CASES: dict[str, tuple[str, list[Any]]] = {
    **triangles(),
    **complex_triangles(),
    **{f"complex lu {n}": complex_case("lu factors", (2, n, n), result=(2, n, n, 2)) for n in (1, 5)},
    **{f"complex cholesky {n}": complex_case("cholesky", (2, n, n), result=(2, n, n, 2)) for n in (1, 5)},
    "complex solve": complex_case("solve", (5, 5), (5, 2), result=(5, 2, 2)),
    "complex eigh values": complex_case("eigh values", (2, 4, 4), result=(2, 4)),
    "complex eigh vectors": moduli_case("eigh vectors", (2, 4, 4), (2, 4, 4)),
    **{
        f"complex qr {part} {m} {n}": complex_case(f"qr {part}", (2, m, n), result=(2, *shape, 2))
        for m, n in ((4, 4), (5, 3), (3, 5))
        for part, shape in (("orthogonal", (m, min(m, n))), ("triangular", (min(m, n), n)))
    },
    **{
        f"complex svd {part} {m} {n}": moduli_case(f"svd {part}", (2, m, n), (2, *shape))
        for m, n in ((4, 4), (5, 3), (3, 5))
        for part, shape in (("left", (m, min(m, n))), ("right", (min(m, n), n)))
    },
    "complex svd values": complex_case("svd values", (2, 5, 3), result=(2, 3)),
    **{f"eig {n}": case("eig values", (2, n, n), result=(2, n, 2)) for n in (1, 4)},
    "eig vectors": case("eig vectors", (2, 4, 4), result=(2, 4, 4, 2)),
    "schur orthogonal": case("schur orthogonal", (2, 4, 4), result=(2, 4, 4)),
    **{f"schur triangular {n}": case("schur triangular", (2, n, n), result=(2, n, n)) for n in (1, 4)},
    "complex schur orthogonal": moduli_case("schur orthogonal", (2, 4, 4), (2, 4, 4)),
    "complex schur triangular": moduli_case("schur triangular", (2, 4, 4), (2, 4, 4)),
    "complex eig values": complex_case("eig values", (2, 4, 4), result=(2, 4, 2)),
    "complex eig vectors": complex_case("eig vectors", (2, 4, 4), result=(2, 4, 4, 2)),
    **{f"lu {n}": case("lu factors", (2, n, n), result=(2, n, n)) for n in (1, 3, 6)},
    **{f"cholesky {n}": case("cholesky", (2, n, n), result=(2, n, n)) for n in (1, 3, 6)},
    **{f"solve {n}": case("solve", (n, n), (n, 2), result=(n, 2)) for n in (3, 6)},
    "eigh values": case("eigh values", (2, 4, 4), result=(2, 4)),
    "eigh vectors": case("eigh vectors", (2, 4, 4), result=(2, 4, 4)),
    **{
        f"qr {part} {m} {n}": case(f"qr {part}", (2, m, n), result=(2, *shape))
        for m, n in ((4, 4), (5, 3), (3, 5))
        for part, shape in (("orthogonal", (m, min(m, n))), ("triangular", (min(m, n), n)))
    },
    **{
        f"svd {part} {m} {n}": case(f"svd {part}", (2, m, n), result=(2, *shape))
        for m, n in ((4, 4), (5, 3), (3, 5))
        for part, shape in (
            ("left", (m, min(m, n))),
            ("values", (min(m, n),)),
            ("right", (min(m, n), n)),
        )
    },
    **{
        f"fft {kind} {n}": case(f"fft {kind}", x, result=y)
        for n in (1, 4, 7)
        for kind, x, y in (
            ("forward", (2, n, 2), (2, n, 2)),
            ("backward", (2, n, 2), (2, n, 2)),
            ("real", (2, n), (2, n // 2 + 1, 2)),
            ("half", (2, n // 2 + 1, 2), (2, n)),
        )
    },
    "fft of an empty batch": case("fft real", (0, 3), result=(0, 2, 2)),
    "lu of nothing": case("lu factors", (2, 0, 0), result=(2, 0, 0)),
    "svd of nothing": case("svd left", (0, 3), result=(0, 0)),
    "solve of an empty batch": case("solve", (0, 3, 3), (0, 3, 1), result=(0, 3, 1)),
}
