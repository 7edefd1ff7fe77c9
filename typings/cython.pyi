"""What type checkers should see of Cython's pure mode: C numbers are int, C structure changes nothing."""

import builtins
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar, overload

_F = TypeVar("_F", bound=Callable[..., Any])
_T = TypeVar("_T")
_C = TypeVar("_C", bound=type)

compiled: Literal[False]
NULL: Any

char: TypeAlias = builtins.int
schar: TypeAlias = builtins.int
uchar: TypeAlias = builtins.int
short: TypeAlias = builtins.int
ushort: TypeAlias = builtins.int
int: TypeAlias = builtins.int
uint: TypeAlias = builtins.int
long: TypeAlias = builtins.int
ulong: TypeAlias = builtins.int
longlong: TypeAlias = builtins.int
ulonglong: TypeAlias = builtins.int
size_t: TypeAlias = builtins.int
Py_ssize_t: TypeAlias = builtins.int
bint: TypeAlias = bool
float: TypeAlias = builtins.float
double: TypeAlias = builtins.float
void: TypeAlias = None

p_char: TypeAlias = Any
p_uchar: TypeAlias = Any
p_short: TypeAlias = Any
p_ushort: TypeAlias = Any
p_int: TypeAlias = Any
p_uint: TypeAlias = Any
p_longlong: TypeAlias = Any
p_ulonglong: TypeAlias = Any
p_void: TypeAlias = Any

class _Qualifier:
    def __getitem__(self, t: type[_T], /) -> type[_T]: ...

volatile: _Qualifier
const: _Qualifier

def cfunc(f: _F, /) -> _F: ...
def ccall(f: _F, /) -> _F: ...
def inline(f: _F, /) -> _F: ...
def exceptval(value: object = ..., *, check: bool = ...) -> Callable[[_F], _F]: ...
def returns(t: object, /) -> Callable[[_F], _F]: ...
def locals(**types: object) -> Callable[[_F], _F]: ...
def boundscheck(on: bool, /) -> Callable[[_F], _F]: ...
def wraparound(on: bool, /) -> Callable[[_F], _F]: ...
def cclass(c: _C, /) -> _C: ...
def final(c: _C, /) -> _C: ...
@overload
def declare(t: type[_T], /) -> _T: ...
@overload
def declare(t: type[_T], value: _T, /) -> _T: ...
def cast(t: type[_T], value: object, /) -> _T: ...
def address(value: object, /) -> Any: ...
def sizeof(value: object, /) -> builtins.int: ...

class _Gil:
    def __call__(self, f: _F, /) -> _F: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

nogil: _Gil
gil: _Gil
