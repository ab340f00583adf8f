"""Frames of calls: stretches of memory taken one after the other, all given back at once.

    store    the present chunk, the next free byte in it, its end, the first chunk
    chunk    address of the next chunk, of its own end; from byte 16 on, frames

A frame is its address, and 0 is no frame. A function that returns no frames sets the store back to where it
was, and the chunks are used again; `mlirad_main` gives them back to the system.

What has the type of a frame is 0 or the address of one that holds what the type says: when there is no more
memory, the call ends. So `restore` looks whether the address is 0. With address checks it looks for the
address in the chunks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from xdsl.ir import Attribute

from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.lower.emit.buffers import Place, make_buffer
from mlirad.lower.emit.tapes import ALLOCATE, FREE, MOST_CHUNKS
from mlirad.lower.llvm_text import IRBuilder, ModuleText, Parameter, Value, constant
from mlirad.lower.native_program import NO_FRAME, OUT_OF_MEMORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mlirad.lower.emit.main import FunctionEmitter

STORE_PLACE: Final = Place("store", 0)
"""The place of the four words that say where the next frame goes."""

HEADER_BYTES = 16
FIRST_CHUNK_BYTES = 1 << 14

_CHUNK, _TOP, _END, _FIRST = 0, 8, 16, 24
_NEXT, _LIMIT = 0, 8
_NULL = Value("null", "ptr")


def _layout(types: Sequence[Attribute]) -> tuple[list[int], int]:
    """Where the values of a frame lie, and its size; each begins at a multiple of 8 bytes."""
    offsets: list[int] = []
    size = 0
    for type_ in types:
        offsets.append(size)
        size += -(-make_buffer(type_, Place("frame", 0)).nbytes // 8) * 8
    return offsets, size


def new_store(f: IRBuilder) -> Value:
    """An empty store on the stack."""
    store = f.alloca("ptr", 4, 8)
    for offset in (_CHUNK, _TOP, _END, _FIRST):
        f.store(_NULL, f.gep(store, offset, "i8"))
    return store


def mark(f: IRBuilder, store: Value) -> list[Value]:
    """What the store says now."""
    return [f.load(f.gep(store, offset, "i8"), "ptr") for offset in (_CHUNK, _TOP, _END)]


def reset(f: IRBuilder, store: Value, marked: Sequence[Value]) -> None:
    """Forget all frames saved after the mark; a store that had no chunk then begins with its first one."""
    chunk, top, end = marked
    is_new = f.icmp("eq", chunk, _NULL)
    with f.conditional(f.not_(is_new)):
        for offset, value in zip((_CHUNK, _TOP, _END), (chunk, top, end), strict=True):
            f.store(value, f.gep(store, offset, "i8"))
    with f.conditional(is_new):
        first = f.load(f.gep(store, _FIRST, "i8"), "ptr")
        with f.conditional(f.icmp("ne", first, _NULL)):
            _enter(f, store, first)


def free(f: IRBuilder, store: Value) -> None:
    """Give all chunks back."""
    f.module.external(FREE, "void", ["ptr"], "nounwind")
    at = f.gep(store, _FIRST, "i8")
    with f.repeat(lambda: f.icmp("ne", f.load(at, "ptr"), _NULL), at_most=MOST_CHUNKS):
        chunk = f.load(at, "ptr")
        f.store(f.load(f.gep(chunk, _NEXT, "i8"), "ptr"), at)
        f.call(FREE, [chunk])


def write_save(main: FunctionEmitter, op: SaveOp) -> None:
    """Copy the operands to a new frame."""
    f, target = main.f, main.pointer(op.frame)
    offsets, size = _layout([v.type for v in op.operands])
    if not size:
        f.store(_NULL, target)
        return
    store = main.pointers[STORE_PLACE]
    top_at, end_at = f.gep(store, _TOP, "i8"), f.gep(store, _END, "i8")
    is_full = f.icmp("ugt", f.gep(f.load(top_at, "ptr"), size, "i8"), f.load(end_at, "ptr"))
    with f.conditional(is_full, unlikely=True):
        f.module.shared_function("mlirad_frame_grow", lambda: _write_grow(f.module))
        f.call("mlirad_frame_grow", [store, constant("i64", size)])
    frame = f.load(top_at, "ptr")
    after = f.gep(frame, size, "i8")
    main.fail_if(f.icmp("ugt", after, f.load(end_at, "ptr")), OUT_OF_MEMORY)
    f.store(frame, target)
    f.store(after, top_at)
    for k, (value, offset) in enumerate(zip(op.operands, offsets, strict=True)):
        place = Place("frame", k)
        main.pointers[place] = f.gep(frame, offset, "i8")
        main.copy(main.buffer(value), make_buffer(value.type, place))


def write_restore(main: FunctionEmitter, op: RestoreOp) -> None:
    """Let the results be where the frame holds them; end the call if there is no such frame."""
    f = main.f
    frame = f.load(main.pointer(op.frame), "ptr")
    offsets, size = _layout([v.type for v in op.results])
    if size:
        is_there = f.icmp("ne", frame, _NULL)
        if main.emitter.address_checks:
            f.module.shared_function("mlirad_frame_find", lambda: _write_find(f.module))
            found = f.call(
                "mlirad_frame_find", [main.pointers[STORE_PLACE], frame, constant("i64", size)], "i1"
            )
            assert found is not None
            is_there = found
        main.fail_if(f.not_(is_there), NO_FRAME)
    for value, offset in zip(op.results, offsets, strict=True):
        main.pointers[main.buffer(value).place] = f.gep(frame, offset, "i8")


def _write_find(module: ModuleText) -> IRBuilder:
    """The function that tells whether so many bytes from an address on lie in the frames of one chunk."""
    parameters = [Parameter("store", "ptr"), Parameter("frame", "ptr"), Parameter("size", "i64")]
    f = module.function("mlirad_frame_find", parameters, "i1", attributes="noinline nounwind")
    store, frame, size = f.arguments
    at = f.alloca("ptr", 1, 8)
    f.store(f.load(f.gep(store, _FIRST, "i8"), "ptr"), at)
    with f.repeat(lambda: f.icmp("ne", f.load(at, "ptr"), _NULL), at_most=MOST_CHUNKS):
        chunk = f.load(at, "ptr")
        start = f.gep(chunk, HEADER_BYTES, "i8")
        is_last = f.icmp("eq", chunk, f.load(f.gep(store, _CHUNK, "i8"), "ptr"))
        top = f.load(f.gep(store, _TOP, "i8"), "ptr")
        end = f.select(is_last, top, f.load(f.gep(chunk, _LIMIT, "i8"), "ptr"))
        is_inside = f.and_(f.icmp("uge", frame, start), f.icmp("ule", frame, end))
        room = f.sub(_number(f, end), _number(f, frame))
        with f.conditional(f.and_(is_inside, f.icmp("uge", room, size))):
            f.ret(constant("i1", 1))
            f.label(f.fresh_label("unreached"))
        following = f.load(f.gep(chunk, _NEXT, "i8"), "ptr")
        f.store(f.select(is_last, _NULL, following), at)
    f.ret(constant("i1", 0))
    return f


def _number(f: IRBuilder, pointer: Value) -> Value:
    return f.define(f"ptrtoint ptr {pointer.text} to i64", "i64")


def _enter(f: IRBuilder, store: Value, chunk: Value) -> None:
    """Let the next frame be the first of a chunk."""
    f.store(chunk, f.gep(store, _CHUNK, "i8"))
    f.store(f.gep(chunk, HEADER_BYTES, "i8"), f.gep(store, _TOP, "i8"))
    f.store(f.load(f.gep(chunk, _LIMIT, "i8"), "ptr"), f.gep(store, _END, "i8"))


def _write_grow(module: ModuleText) -> IRBuilder:
    """The function that enters a chunk with so much room: the next one, or a new one twice as large.

    Without memory it leaves the store as it is.
    """
    parameters = [Parameter("store", "ptr"), Parameter("size", "i64")]
    f = module.function("mlirad_frame_grow", parameters, attributes="noinline nounwind")
    module.external(ALLOCATE, "ptr", ["i64"], "nounwind")
    store, size = f.arguments
    chunk = f.load(f.gep(store, _CHUNK, "i8"), "ptr")
    is_first = f.icmp("eq", chunk, _NULL)
    # The address of what leads to the next chunk: of the first one, the store itself.
    link = f.select(is_first, f.gep(store, _FIRST, "i8"), f.gep(chunk, _NEXT, "i8"))
    following = f.load(link, "ptr")
    with f.conditional(f.icmp("ne", following, _NULL)):
        room = f.load(f.gep(following, _LIMIT, "i8"), "ptr")
        needed = f.gep(f.gep(following, HEADER_BYTES, "i8"), size, "i8")
        with f.conditional(f.icmp("ule", needed, room)):
            _enter(f, store, following)
            f.ret()
            f.label(f.fresh_label("unreached"))
    grown = f.alloca("i64", 1, 8, initial=constant("i64", FIRST_CHUNK_BYTES))
    with f.conditional(f.not_(is_first)):
        limit = f.load(f.gep(chunk, _LIMIT, "i8"), "ptr")
        f.store(f.shl(f.sub(_number(f, limit), _number(f, chunk)), 1), grown)
    capacity = f.intrinsic("umax", f.load(grown, "i64"), f.add(f.shl(size, 1), HEADER_BYTES))
    new = f.call(ALLOCATE, [capacity], "ptr")
    assert new is not None
    with f.conditional(f.icmp("ne", new, _NULL)):
        f.store(following, f.gep(new, _NEXT, "i8"))
        f.store(f.gep(new, capacity, "i8"), f.gep(new, _LIMIT, "i8"))
        f.store(new, link)
        _enter(f, store, new)
    f.ret()
    return f
