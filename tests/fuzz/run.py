"""What became of fuzzing one target."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Run:
    """A target's run: `grown_kb` is its process's growth, `edges` what was reached, `fault` what broke it, `words` how."""

    target: str
    inputs: int
    seconds: float
    grown_kb: int
    edges: int
    corpus: list[bytes] = field(repr=False)
    fault: bytes | None
    words: str
