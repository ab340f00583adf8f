"""The values that may be passed for an input, and the errors about the rest."""

import array

import numpy as np
import pytest

from mlirad.errors import ArgumentError, DtypeError, MliradError, ShapeError, UnsupportedError
from mlirad.jit.arguments import prepare
from mlirad.lower.native_program import ITEM_BYTES, ArraySpec

DTYPES = list(ITEM_BYTES)


def is_readable(a: np.ndarray, spec: ArraySpec) -> bool:
    return (
        type(a) is np.ndarray
        and a.dtype == np.dtype(spec.dtype)
        and a.dtype.isnative
        and a.shape == spec.shape
        and a.flags.c_contiguous
        and a.flags.aligned
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (3, 0, 2)])
def test_an_array_of_the_right_kind_is_taken_as_it_is(dtype: str, shape: tuple[int, ...]) -> None:
    a = np.ones(shape, dtype)
    assert prepare(ArraySpec(dtype, shape), a, 0) is a


def test_odd_layouts_are_copied() -> None:
    base = np.arange(24.0).reshape(4, 6)
    unaligned = np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view(np.float64).reshape(4, 6)
    assert not unaligned.flags.aligned
    swapped = base.astype(base.dtype.newbyteorder())
    read_only = base.copy()
    read_only.flags.writeable = False
    spec = ArraySpec("float64", (4, 6))
    fortran, reversed_ = np.asfortranarray(base), base[::-1, ::-1].copy()[::-1, ::-1]
    for a in (unaligned, swapped, read_only, fortran, reversed_):
        result = prepare(spec, a, 0)
        assert is_readable(result, spec)
        np.testing.assert_array_equal(result, base)
    strided = prepare(ArraySpec("float64", (2, 3)), base[::2, ::2], 0)
    np.testing.assert_array_equal(strided, base[::2, ::2])
    broadcast = prepare(ArraySpec("float64", (2, 3)), np.broadcast_to(1.5, (2, 3)), 0)
    assert is_readable(broadcast, ArraySpec("float64", (2, 3)))


@pytest.mark.parametrize("wanted", DTYPES)
@pytest.mark.parametrize("given", [*DTYPES, "float16", "uint8", "uint64", "complex128", "longdouble", "S3"])
def test_element_types_convert_where_numpy_does_so_safely(wanted: str, given: str) -> None:
    for value in (np.ones(2, given), np.ones((), given)):
        spec = ArraySpec(wanted, value.shape)
        if np.can_cast(value.dtype, wanted, "safe"):
            result = prepare(spec, value, 0)
            assert is_readable(result, spec)
            assert (result == 1).all()
        else:
            with pytest.raises(DtypeError, match=f"argument 3 has dtype .*{wanted} is expected"):
                prepare(spec, value, 3)


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        (True, {"float64", "float32", "int64", "int32", "bool"}),
        (3, {"float64", "float32", "int64", "int32"}),
        (2**40, {"float64", "float32", "int64"}),
        (2**70, {"float64", "float32"}),
        (2.5, {"float64", "float32"}),
        (float("nan"), {"float64", "float32"}),
        (1j, set()),
        ("x", set()),
        (None, set()),
    ],
)
def test_python_scalars(value: object, accepted: set[str]) -> None:
    for dtype in DTYPES:
        spec = ArraySpec(dtype, ())
        if dtype in accepted:
            result = prepare(spec, value, 0)
            assert is_readable(result, spec)
            np.testing.assert_equal(result[()], np.asarray(value).astype(dtype)[()])
        else:
            with pytest.raises((DtypeError, UnsupportedError), match="argument 0"):
                prepare(spec, value, 0)
    with pytest.raises(MliradError):
        prepare(ArraySpec("float64", (1,)), value, 0)


def test_shapes_must_agree() -> None:
    for shape in ((), (3,), (2, 1), (1, 2, 3)):
        message = r"argument 1 has shape .* and \(2, 3\) is expected"
        with pytest.raises(ShapeError, match=message):
            prepare(ArraySpec("float64", (2, 3)), np.ones(shape), 1)


def test_subclasses_are_errors() -> None:
    spec = ArraySpec("float64", (2, 2))
    with pytest.raises(ArgumentError, match="masked array"):
        prepare(spec, np.ma.masked_less(np.eye(2), 0.5), 0)
    with pytest.raises(ArgumentError, match=r"ndarray subclass \(matrix\)"):
        prepare(spec, np.eye(2).view(np.matrix), 0)


def test_array_likes() -> None:
    class Wrapped:
        __array_interface__ = np.arange(2.0).__array_interface__

    class Tensor:
        """A producer of DLPack, and nothing else."""

        def __init__(self, values):
            self.values = np.asarray(values)

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    spec = ArraySpec("float64", (2,))
    for value in ([0.0, 1.0], (0, 1), array.array("d", [0.0, 1.0]), Wrapped(), Tensor([0.0, 1.0])):
        result = prepare(spec, value, 0)
        assert is_readable(result, spec)
        np.testing.assert_array_equal(result, [0.0, 1.0])
    with pytest.raises(ArgumentError, match="no array"):
        prepare(spec, [[1.0], [2.0, 3.0]], 0)
    with pytest.raises(DtypeError, match="object"):
        prepare(spec, object(), 0)


def test_tensors_on_other_devices_are_errors() -> None:
    class OnGraphicsCard:
        def __dlpack__(self, **options):
            raise BufferError("not on this device")

        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(ArgumentError, match="argument 0 is an OnGraphicsCard"):
        prepare(ArraySpec("float64", (2,)), OnGraphicsCard(), 0)
