"""The part of `llvmlite.binding` that mlirad uses, with the types that llvmlite does not carry.

Every other file of this folder reaches LLVM through `LLVM`, so this list is all that a new release
of llvmlite can break. llvmlite reports its errors as `RuntimeError`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, cast

from mlirad.jit.forking import CallsOfLLVM, CompileLock
from mlirad.jit.memory_left import require_memory


class Module(Protocol):
    """A parsed module of LLVM IR."""

    triple: str
    data_layout: str

    def verify(self) -> None: ...


class TargetMachine(Protocol):
    """LLVM's code generator for one processor."""

    @property
    def triple(self) -> str: ...
    @property
    def target_data(self) -> object: ...
    def emit_object(self, module: Module) -> bytes: ...
    def emit_assembly(self, module: Module) -> str: ...


class CodeGenerators(Protocol):
    """The class `Target` of llvmlite: finds the code generator of a triple."""

    def from_triple(self, triple: str) -> CodeGenerators: ...
    def create_target_machine(
        self,
        *,
        cpu: str,
        features: str,
        opt: int,
        jit: bool,
        reloc: str = "default",
        codemodel: str = "jitdefault",
    ) -> TargetMachine: ...


class TuningOptions(Protocol):
    """The options of LLVM's ready-made pipelines, for a builder of passes."""


class PassManager(Protocol):
    """The passes that are run on a module, in the order in which they were added."""

    def run(self, module: Module, builder: PassBuilder) -> None: ...
    def close(self) -> None: ...
    def detach(self) -> None: ...


class PassBuilder(Protocol):
    """Has the analyses that passes need, for one target machine."""


class Linker(Protocol):
    """An instance of LLVM's ORC JIT: links and owns loaded code."""

    def close(self) -> None: ...


class LoadedLibrary(Protocol):
    """Code in memory: exported addresses by name, valid until it is closed."""

    def __getitem__(self, symbol: str) -> int: ...
    def close(self) -> None: ...


class LibraryBuilder(Protocol):
    """Collects object code and addresses to link."""

    def add_object_img(self, data: bytes) -> LibraryBuilder: ...
    def add_current_process(self) -> LibraryBuilder: ...
    def import_symbol(self, name: str, address: int) -> LibraryBuilder: ...
    def export_symbol(self, name: str) -> LibraryBuilder: ...
    def link(self, lljit: Linker, library_name: str) -> LoadedLibrary: ...


class Binding(Protocol):
    """The module `llvmlite.binding`."""

    Target: CodeGenerators
    llvm_version_info: tuple[int, ...]

    def initialize_native_target(self) -> None: ...
    def initialize_native_asmprinter(self) -> None: ...
    def initialize_all_targets(self) -> None: ...
    def initialize_all_asmprinters(self) -> None: ...
    def get_process_triple(self) -> str: ...
    def get_host_cpu_name(self) -> str: ...
    def get_host_cpu_features(self) -> dict[str, bool]: ...
    def parse_assembly(self, llvmir: str) -> Module: ...
    def create_pipeline_tuning_options(self) -> TuningOptions: ...
    def create_new_module_pass_manager(self) -> PassManager: ...
    def create_pass_builder(self, tm: TargetMachine, pto: TuningOptions) -> PassBuilder: ...
    def create_lljit_compiler(self, *, suppress_errors: bool) -> Linker: ...
    def JITLibraryBuilder(self) -> LibraryBuilder: ...


class _Deferred:
    """`llvmlite.binding`, imported and with the host's code generator made ready when it is first used."""

    def __getattr__(self, name: str) -> object:
        if not vars(self):
            require_memory(LIBRARY_BYTES, "load LLVM")
        binding = cast(Binding, cast(object, importlib.import_module(_BINDING)))
        if not vars(self):
            _replace_lock()
            _close_once()
            binding.initialize_native_target()
            binding.initialize_native_asmprinter()
        value = getattr(binding, name)
        vars(self)[name] = value
        return value


_BINDING: Final = "llvmlite.binding"

LIBRARY_BYTES: Final = 1 << 28
"""Address space that its library may take."""

LLVM: Final = cast(Binding, cast(object, _Deferred()))
"""llvmlite's binding layer, with the host's code generator ready for use."""


class _CallLock(CompileLock):
    """Stands for the lock that llvmlite holds during each call of LLVM; a thread may take it again.

    llvmlite's own is taken by functions of Python, in which a handler of a signal can raise, and then other
    threads wait for ever. It calls whoever asks to be told; once somebody does, it is put back.
    """

    def __init__(self, functions: Any):
        super().__init__()
        self._functions = functions
        self._own = functions._lock

    def enter(self) -> None:
        """Let this be the lock."""
        self._set(self)
        CallsOfLLVM.lock = self

    def register(self, taken: Callable[[], object], given_back: Callable[[], object]) -> None:
        """Tell somebody when the lock is taken and given back."""
        self._set(self._own)
        CallsOfLLVM.lock = self._own._lock
        self._own.register(taken, given_back)

    def _set(self, lock: Any) -> None:
        self._functions._lock = lock
        for function in list(self._functions._fntab.values()):
            function._lock = lock


def _replace_lock() -> None:
    """Have llvmlite's lock be one that interrupts leave as it should be, unless somebody is told of it."""
    functions: Any = importlib.import_module(f"{_BINDING}.ffi").lib
    if isinstance(functions._lock, _CallLock):
        functions._lock.enter()  # which an interrupt may have ended
    elif functions._lock._cblist:
        CallsOfLLVM.lock = functions._lock._lock
    else:
        _CallLock(functions).enter()


def _close_once() -> None:
    """Have llvmlite's objects note that they are freed before they are, so interrupts free none twice.

    Those that are interrupted in between stay in memory.
    """
    known: Any = importlib.import_module(f"{_BINDING}.ffi")
    dispose_string = known.lib.LLVMPY_DisposeString

    def close_string(string: Any) -> None:
        pointer, string._ptr = string._ptr, None
        if pointer is not None:
            del string._as_parameter_
            if string._owned:
                dispose_string(pointer)

    def close(resource: Any) -> None:
        is_own = not resource._closed and not resource._owned
        resource._owned = True  # which whoever frees it now need not tell apart from others
        try:
            if is_own:
                resource._dispose()
        finally:
            resource.detach()

    known.OutputString.close = close_string
    known.ObjectRef.close = close


def llvm_version() -> str:
    """The versions of llvmlite and of the LLVM in it."""
    llvmlite = importlib.import_module("llvmlite")
    return f"{llvmlite.__version__} {'.'.join(map(str, LLVM.llvm_version_info))}"


def run_pipeline(machine: TargetMachine, module: Module, passes: Sequence[str]) -> None:
    """Run passes on the module, in place, by the names that llvmlite has for them.

    Each run needs a builder of its own: what LLVM registers with it during a run does not outlive the run.
    llvmlite 0.50 does not free all of a builder; 1.5 kB stay. Closing a pass manager leaks it, 50 kB each
    time: `ModulePassManager` inherits `_dispose` from two classes and finds the one that does nothing first.
    The other one is called here.
    """
    builder = LLVM.create_pass_builder(machine, LLVM.create_pipeline_tuning_options())
    manager = LLVM.create_new_module_pass_manager()
    for name in passes:
        getattr(manager, f"add_{name}_pass")()
    try:
        manager.run(module, builder)
    finally:
        owner = getattr(importlib.import_module("llvmlite.binding.newpassmanagers"), "NewPassManager", None)
        dispose: object = getattr(owner, "_dispose", None)
        if callable(dispose):
            cast(Any, manager)._owned = True  # so closing it later does not free it again
            dispose(manager)
            manager.detach()
        else:
            manager.close()
