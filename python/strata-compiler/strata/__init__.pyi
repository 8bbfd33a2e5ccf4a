"""Types of the package; the documentation is in the modules."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from . import torch as torch

__version__: str

_Path = str | os.PathLike[str]
_Sizes = Mapping[str, int] | Iterable[tuple[str, int]]
_P = ParamSpec("_P")

class StrataError(Exception):
    code: str | None
    title: str | None
    reason: str | None
    hint: str | None
    operation: str | None
    file: str | None
    line: int | None
    column: int | None
    notes: list[str]
    diagnostics: list[dict[str, Any]]
    def __init__(self, message: str, diagnostics: Iterable[dict[str, Any]] = ...) -> None: ...

class InputError(StrataError, ValueError): ...
class StrataWarning(UserWarning): ...

class Tensor:
    name: str
    element: str
    shape: tuple[int | None, ...]
    def __init__(self, name: str, element: str, shape: tuple[int | None, ...]) -> None: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...

class Cost:
    flops: int
    transcendentals: int
    bytes: int
    weight_bytes: int
    workspace_bytes: int | None
    open_loops: int
    operations: dict[str, tuple[int, int, int, int]]

class Page:
    html: str
    def __init__(self, html: str) -> None: ...
    def save(self, path: _Path) -> None: ...
    def _repr_html_(self) -> str: ...

class Profile:
    data: dict[str, Any]
    text: str
    folded: str
    svg: str
    def __init__(self, data: str, text: str, folded: str, svg: str) -> None: ...
    def save(self, path: _Path) -> None: ...
    def _repr_html_(self) -> str: ...

class Stages(Mapping[str, str]):
    def __getitem__(self, name: str) -> str: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Program:
    threads: int
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    @property
    def inputs(self) -> list[Tensor]: ...
    @property
    def outputs(self) -> list[Tensor]: ...
    @property
    def symbol(self) -> str: ...
    @property
    def object(self) -> bytes: ...
    @property
    def header(self) -> str: ...
    @property
    def cxx(self) -> str: ...
    @property
    def rust(self) -> str: ...
    @property
    def stages(self) -> Stages: ...
    @property
    def remarks(self) -> str: ...
    def explore(self, sources: _Path | Iterable[_Path] = ...) -> Page: ...
    def profile(
        self,
        *args: Any,
        seconds: float = ...,
        frequency: int = ...,
        method: str | None = ...,
        limits: bool = ...,
        **kwargs: Any,
    ) -> Profile: ...
    @property
    def cost(self) -> Cost: ...
    def save_object(
        self, path: _Path, header: _Path | None = ..., *, cxx: _Path | None = ..., rust: _Path | None = ...
    ) -> None: ...
    def save(self, path: _Path) -> None: ...

    def prepare(self, *args: Any, **kwargs: Any) -> Prepared: ...
    def prepared(self, block: Any) -> Prepared: ...

class Prepared:
    program: Program
    block: np.ndarray[Any, np.dtype[np.uint8]]
    def __init__(self, program: Program, block: np.ndarray[Any, np.dtype[np.uint8]]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Programs(Mapping[str, Program]):
    def __init__(self, programs: Mapping[str, Program]) -> None: ...
    def __getitem__(self, entry: str) -> Program: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @property
    def object(self) -> bytes: ...
    @property
    def header(self) -> str: ...
    @property
    def cxx(self) -> str: ...
    @property
    def rust(self) -> str: ...
    def save_object(
        self, path: _Path, header: _Path | None = ..., *, cxx: _Path | None = ..., rust: _Path | None = ...
    ) -> None: ...
    def save(self, path: _Path) -> None: ...

@overload
def compile(
    program: Any,
    *args: Any,
    entries: None = ...,
    kwargs: Mapping[str, Any] | None = ...,
    name: str = ...,
    entry: str | None = ...,
    target: str | None = ...,
    target_cpu: str | Iterable[str] | None = ...,
    target_features: str | None = ...,
    opt_level: int = ...,
    bind: _Sizes = ...,
    max: _Sizes = ...,
    specialize: _Sizes = ...,
    semantics: str | None = ...,
    excess_precision: bool = ...,
    schedule: _Path | None = ...,
    debug_info: bool = ...,
    flush_subnormals: bool = ...,
    freestanding: bool = ...,
    compile_threads: int = ...,
    threads: int = ...,
    link: _Path | Iterable[_Path] = ...,
    prepare: str | Iterable[str] = ...,
    weights: _Path | None = ...,
) -> Program: ...
@overload
def compile(
    program: Any,
    *args: Any,
    entries: str | Iterable[str],
    kwargs: Mapping[str, Any] | None = ...,
    name: str = ...,
    target: str | None = ...,
    target_cpu: str | Iterable[str] | None = ...,
    target_features: str | None = ...,
    opt_level: int = ...,
    bind: _Sizes = ...,
    max: _Sizes = ...,
    specialize: _Sizes = ...,
    semantics: str | None = ...,
    excess_precision: bool = ...,
    schedule: _Path | None = ...,
    debug_info: bool = ...,
    flush_subnormals: bool = ...,
    freestanding: bool = ...,
    compile_threads: int = ...,
    threads: int = ...,
    link: _Path | Iterable[_Path] = ...,
    prepare: str | Iterable[str] = ...,
    weights: _Path | None = ...,
) -> Programs: ...
@overload
def load(path: _Path, entry: str, *, threads: int = ..., weights: _Path | None = ...) -> Program: ...
@overload
def load(
    path: _Path, entry: None = ..., *, threads: int = ..., weights: _Path | None = ...
) -> Program | Programs: ...
def read_safetensors(path: _Path) -> dict[str, np.ndarray[Any, np.dtype[Any]]]: ...

class Jit(Generic[_P]):
    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...
    @overload
    def __call__(self, *args: Any, out: Any, **kwargs: Any) -> Any: ...
    @property
    def programs(self) -> list[Program]: ...

@overload
def jit(
    function: Callable[_P, Any],
    *,
    static_argnums: int | Iterable[int] = ...,
    static_argnames: str | Iterable[str] = ...,
    target_cpu: str | None = ...,
    **options: Any,
) -> Jit[_P]: ...
@overload
def jit(
    function: None = ...,
    *,
    static_argnums: int | Iterable[int] = ...,
    static_argnames: str | Iterable[str] = ...,
    target_cpu: str | None = ...,
    **options: Any,
) -> Callable[[Callable[_P, Any]], Jit[_P]]: ...
