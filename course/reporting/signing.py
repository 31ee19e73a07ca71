"""Signing: an instructor's Ed25519 key, made once and kept outside the course, and pages that bear its mark.

A signature covers the whole page but itself, so that nothing on it can be changed unseen. No network.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from course.lesson.folder import CONFIGURATION
from course.text import Problem
from helpers import writing

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY, PUBLIC = "certificate-key.pem", "certificate-key.pub"
LARGEST_KEY_BYTES = 10_000
SLOT = re.compile(rb'<meta name="signature" content="([A-Za-z0-9+/=]*)">')
EMPTY = b'<meta name="signature" content="">'


@dataclass(frozen=True)
class SigningKey:
    """Where an instructor's key lies; its public half beside it, to be given to whoever verifies."""

    path: Path

    @classmethod
    def usual(cls, environ: Mapping[str, str] = os.environ) -> SigningKey:
        """In the folder for a person's settings."""
        home = environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return cls(Path(home) / "iteration-budget" / KEY)

    @property
    def public(self) -> Path:
        """The file that may be given to anybody."""
        return self.path.with_name(PUBLIC)

    def make(self) -> None:
        """Make the key, once; one that lies in a repository, or is there already, is refused."""
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if self.path.exists() or self.public.exists():
            raise Problem("certify.key_exists", path=self.path if self.path.exists() else self.public)
        inside = next((place for place in self.path.absolute().parents if _is_shared(place)), None)
        if inside:
            raise Problem("certify.key_in_repository", path=self.path, folder=inside)
        key = Ed25519PrivateKey.generate()
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(private)
        writing.replace(self.public, public)

    def private_key(self) -> Ed25519PrivateKey:
        """The key that signs; one that others on the machine could read is refused."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        if not self.path.is_file():
            raise Problem("certify.no_key", path=self.path)
        if os.name == "posix" and stat.S_IMODE(self.path.stat().st_mode) & 0o077:
            raise Problem("certify.key_is_open", path=self.path)
        found = _loaded(self.path, lambda data: load_pem_private_key(data, None))
        if not isinstance(found, Ed25519PrivateKey):
            raise Problem("certify.bad_key", path=self.path)
        return found


def public_key(path: Path) -> Ed25519PublicKey:
    """The public half of somebody's key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if not path.is_file():
        raise Problem("verify.no_key", path=path)
    found = _loaded(path, load_pem_public_key)
    if not isinstance(found, Ed25519PublicKey):
        raise Problem("certify.bad_key", path=path)
    return found


def fingerprint(key: Ed25519PublicKey) -> str:
    """A short name of a key, to be compared by eye."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def signed(page: bytes, key: Ed25519PrivateKey) -> bytes:
    """The page with its signature in the place that it has for one."""
    mark = base64.b64encode(key.sign(_covered(page)))
    return page.replace(EMPTY, EMPTY.replace(b'content=""', b'content="' + mark + b'"'), 1)


def is_signed(page: bytes, key: Ed25519PublicKey) -> bool:
    """Whether this key signed this page, every byte of it; ends of lines may have been changed on the way."""
    from cryptography.exceptions import InvalidSignature

    slots = SLOT.findall(page)
    if len(slots) != 1:
        return False
    try:
        key.verify(base64.b64decode(slots[0], validate=True), _covered(page))
    except (InvalidSignature, binascii.Error):
        return False
    return True


def _covered(page: bytes) -> bytes:
    return SLOT.sub(EMPTY, page.replace(b"\r\n", b"\n"))


def _loaded(path: Path, load: Callable[[bytes], object]) -> object:
    try:
        data = path.read_bytes()[:LARGEST_KEY_BYTES]
        return load(data)
    except (ValueError, TypeError):
        raise Problem("certify.bad_key", path=path) from None
    except Exception as problem:
        if type(problem).__name__ == "UnsupportedAlgorithm":
            raise Problem("certify.bad_key", path=path) from None
        raise


def _is_shared(folder: Path) -> bool:
    """A repository, or a course, from which a key would travel."""
    return (folder / ".git").exists() or (folder / CONFIGURATION).is_file()
