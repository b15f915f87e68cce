"""A lock that is turned one step at a time: what lies deep behind needs several calls."""


class Safe:
    """Opens without a fault while it is turned less than twice."""

    def __init__(self) -> None:
        self.level = 0

    def turn(self) -> None:
        """One step."""
        self.level += 1

    def reset(self) -> None:
        """Back to the start."""
        self.level = 0

    def open(self) -> int:
        """Fails from the second step on."""
        return self.missing if self.level > 1 else self.level  # type: ignore[attr-defined, no-any-return]
