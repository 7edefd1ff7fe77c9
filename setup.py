"""Compile the hot modules to C speed; everything else of the build stands in pyproject.toml.

Each hot module is plain Python with its C types in the `.pxd` beside it. It is compiled twice from the same
source: `engine.X` with a 64-bit board word, and `engine.wide.X` with `unsigned __int128` for the boards that
do not fit. Without a C compiler the build warns and installs the plain Python: the same moves, some hundred
times slower.

Environment:
    DAMIER_REQUIRE_COMPILED=1  a module that does not compile fails the build (CI sets it)
    DAMIER_PLAIN=1             do not compile
    DAMIER_DEBUG=1             checked build: list and array bounds in Cython, UBSan for C-array members
    DAMIER_SANITIZE=1          the C of a release under ASan and UBSan; run by scripts/sanitize.sh
"""

import os
import re
import shutil
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HOT: tuple[str, ...] = (
    "board",
    "line",
    "patterns",
    "evaluate",
    "table",
    "search",
    "egdb_index",
    "egdb_solver",
    "egdb_codec",
    "egdb_probe",
    "egdb_score",
)

ROOT = Path(__file__).resolve().parent
WIDE = ROOT / "engine" / "wide"

PLAIN = os.environ.get("DAMIER_PLAIN") == "1"
REQUIRE = os.environ.get("DAMIER_REQUIRE_COMPILED") == "1"
DEBUG = os.environ.get("DAMIER_DEBUG") == "1"
SANITIZE = os.environ.get("DAMIER_SANITIZE") == "1"
KIND = "checked" if DEBUG else "sanitized" if SANITIZE else "release"
ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED")  # a free-threaded Python has no stable ABI

# They stand here alone: a directive comment in a file would win over the checked build's settings.
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "infer_types": True,
    "cdivision": True,
    "initializedcheck": False,
    "boundscheck": DEBUG,
    "wraparound": DEBUG,
}


class BuildExt(build_ext):
    """Python to C when something is built and not before (a source distribution holds no C), compiler flags, known
    only once the compiler is, and the soft landing without one."""

    def run(self) -> None:
        compiled = cythonize(
            self.extensions,
            build_dir=f"build/cython{'-checked' if DEBUG else ''}",
            nthreads=2 if sys.platform == "linux" else 0,
            compiler_directives=DIRECTIVES,
        )
        for extension, c in zip(self.extensions, compiled, strict=True):
            extension.sources, extension.depends = c.sources, c.depends
        super().run()

    def build_extensions(self) -> None:
        if self.compiler.compiler_type == "msvc":
            # No 128-bit word there: the wide boards keep their plain Python.
            self.extensions = [e for e in self.extensions if not e.name.startswith("engine.wide.")]
            self.warn("this compiler has no 128-bit word: the wide boards stay plain Python")
            arguments, inline = ["/O2"], "__forceinline"
        else:
            arguments, inline = ["-O3", "-g0"], "__inline__ __attribute__((always_inline))"
            if sysconfig.get_platform().endswith("-x86_64"):  # what is built for, not what it is built on
                arguments.append("-march=x86-64-v2")  # popcount; every PC since about 2009
        links: list[str] = []
        if DEBUG or SANITIZE:
            sanitizers = "-fsanitize=address,undefined" if SANITIZE else "-fsanitize=undefined"
            arguments += ["-O1", "-g", "-fno-omit-frame-pointer", sanitizers, "-fno-sanitize-recover=undefined"]
            links.append(sanitizers)
        for extension in self.extensions:
            extension.extra_compile_args = arguments
            extension.extra_link_args = links
            if not DEBUG:
                extension.define_macros.append(("CYTHON_INLINE", inline))
            extension.optional = not REQUIRE
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        try:
            super().build_extension(ext)
        except Exception as error:
            if REQUIRE:
                raise
            print(
                f"*** WARNING: {ext.name} is not compiled ({error}).\n"
                "*** Its plain Python is installed instead: the same moves, some hundred times slower.",
                file=sys.stderr,
            )

    def copy_extensions_to_source(self) -> None:
        self.force = True  # else a newer file of the other kind, checked or not, would stay
        super().copy_extensions_to_source()


def write_wide_copies() -> None:
    """Copy the hot modules into engine/wide/; a file changes only when its text does."""
    WIDE.mkdir(exist_ok=True)
    texts = {"__init__.py": '"""Build-time copy of the hot modules, compiled with a 128-bit board word."""\n'}
    names = re.compile(rf"\bengine\.({'|'.join(HOT)})\b")
    for module in HOT:
        for suffix in (".py", ".pxd"):
            source = (ROOT / "engine" / f"{module}{suffix}").read_text(encoding="utf-8")
            texts[f"{module}{suffix}"] = names.sub(r"engine.wide.\1", source)
    for name, text in texts.items():
        file = WIDE / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def remove_compiled_copies() -> None:
    """Leave no compiled module of an earlier in-place build: Python would prefer it to the plain source."""
    shutil.rmtree(WIDE, ignore_errors=True)
    for module in HOT:
        for pattern in (f"{module}.*.so", f"{module}.so", f"{module}.*.pyd", f"{module}.pyd"):
            for file in (ROOT / "engine").glob(pattern):
                file.unlink()


def extension(package: str, module: str) -> Extension:
    """One hot module; `package` is `engine` or `engine.wide`, which also decides the width of the word."""
    macros: list[tuple[str, str | None]] = []
    if ABI3:
        macros.append(("Py_LIMITED_API", "0x030B0000"))
    if package == "engine.wide":
        macros.append(("DAMIER_WIDE", "1"))
    return Extension(
        f"{package}.{module}",
        [f"{package.replace('.', '/')}/{module}.py"],
        define_macros=macros,
        py_limited_api=ABI3,
    )


def extensions() -> list[Extension]:
    """What to compile: every hot module twice, or nothing."""
    if PLAIN and (REQUIRE or DEBUG or SANITIZE):
        sys.exit("DAMIER_PLAIN=1 contradicts DAMIER_REQUIRE_COMPILED=1, DAMIER_DEBUG=1 and DAMIER_SANITIZE=1")
    if DEBUG and SANITIZE:
        sys.exit("DAMIER_DEBUG=1 contradicts DAMIER_SANITIZE=1")
    if PLAIN:
        remove_compiled_copies()
        return []
    write_wide_copies()
    return [extension(package, module) for package in ("engine", "engine.wide") for module in HOT]


if __name__ == "__main__":
    # Each kind of build has folders of its own, so that none takes another's files for up to date.
    options: dict[str, dict[str, object]] = {
        "build": {"build_base": f"build/{KIND}"},
        "build_ext": {"parallel": 2},
    }
    if ABI3 and not PLAIN:
        options["bdist_wheel"] = {"py_limited_api": "cp311"}
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExt}, options=options)
