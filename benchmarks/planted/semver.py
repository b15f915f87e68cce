"""Version numbers by semver.org 2.0.0, and ranges of them; attrs-like slots without attrs."""

import functools
import re


@functools.total_ordering
class Version:
    """A version.

    >>> Version.parse("1.2.3-rc.1+b5").bump_patch()
    Version('1.2.3')
    """

    __slots__ = ("major", "minor", "patch", "pre", "build", "_hash")

    REGEX = re.compile(
        r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
        r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
        r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$",
        re.ASCII,
    )

    def __init__(self, major, minor=0, patch=0, pre=(), build=()):
        if major < 0 or minor < 0 or patch < 0:
            raise ValueError("negative version number")
        object.__setattr__(self, "major", major)
        object.__setattr__(self, "minor", minor)
        object.__setattr__(self, "patch", patch)
        object.__setattr__(self, "pre", tuple(pre))
        object.__setattr__(self, "build", tuple(build))
        object.__setattr__(self, "_hash", None)

    def __setattr__(self, name, value):
        raise AttributeError("Version is immutable")

    @classmethod
    def parse(cls, text):
        """Read a version.

        Raises ValueError if text is not a version.
        """
        match = cls.REGEX.match(text)
        if match is None:
            raise ValueError("%r is not a version" % (text,))
        major, minor, patch, pre, build = match.groups()
        return cls(int(major), int(minor), int(patch), pre.split(".") if pre else (), build.split(".") if build else ())

    def _key(self):
        pre = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.pre)
        return (self.major, self.minor, self.patch, not pre, pre)

    def __eq__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() == other._key()

    def __lt__(self, other):
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() < other._key()

    def __hash__(self):
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._key()))
        return self._hash

    def __reduce__(self):
        return type(self), (self.major, self.minor, self.patch, self.pre, self.build)

    def bump_major(self):
        return Version(self.major + 1)

    def bump_minor(self):
        return Version(self.major, self.minor + 1)

    def bump_patch(self):
        if self.pre:
            return Version(self.major, self.minor, self.patch)
        return Version(self.major, self.minor, self.patch + 1)

    def is_stable(self):
        return self.major > 0 and not self.pre

    def __str__(self):
        text = "%d.%d.%d" % (self.major, self.minor, self.patch)
        if self.pre:
            text += "-" + ".".join(self.pre)
        if self.build:
            text += "+" + ".".join(self.build)
        return text

    def __repr__(self):
        return "Version(%r)" % str(self)


class VersionRange:
    """Half open range of versions; None is no bound."""

    def __init__(self, low=None, high=None):
        self.low = low
        self.high = high

    @classmethod
    def caret(cls, version):
        if version.major:
            return cls(version, version.bump_major())
        return cls(version, version.bump_minor())

    def __contains__(self, version):
        if self.low is not None and version < self.low:
            return False
        return self.high is None or version < self.high

    def is_empty(self):
        return self.low is not None and self.high is not None and self.high <= self.low

    def intersect(self, other):
        lows = [r.low for r in (self, other) if r.low is not None]
        highs = [r.high for r in (self, other) if r.high is not None]
        return VersionRange(max(lows) if lows else None, min(highs) if highs else None)

    def best(self, versions):
        """The highest of the versions in the range, or None."""
        return max((v for v in versions if v in self), default=None)
