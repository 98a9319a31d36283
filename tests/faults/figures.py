"""What was measured while things broke: told at the end of a run, and bounded at five times what is promised."""

from dataclasses import dataclass, field

SLACK = 5
"""How many times what is promised a test bears, as machines that run tests are busy."""


@dataclass
class Figures:
    """The worst of each figure, by its name."""

    _worst: dict[str, tuple[float, float, str]] = field(default_factory=dict)

    def note(self, what: str, value: float, *, promised: float, unit: str = "s") -> None:
        """Note a value; where it is beyond five times what is promised, fail.

        Raises:
            AssertionError: it is.
        """
        before = self._worst.get(what, (value, promised, unit))[0]
        self._worst[what] = (max(before, value), promised, unit)
        assert value <= SLACK * promised, f"{what}: {value:.3g} {unit}, promised are {promised:g} {unit}"

    def lines(self) -> list[str]:
        """Give a line for each figure."""
        return [
            f"{what}: at worst {value:.3g} {unit}, promised {promised:g} {unit}"
            for what, (value, promised, unit) in self._worst.items()
        ]
