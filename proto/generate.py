"""Generates the stubs of `proto/tilerace` into `src/tilerace`: the one place where they are made."""

import shutil
import sys
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parent


def generate(root: Path = ROOT) -> None:
    """Replace `src/tilerace` by stubs for every .proto file below `tilerace/`.

    Raises:
        RuntimeError: protoc refused a file; its words are on stderr.
    """
    from grpc_tools import protoc

    out = root / "src"
    shutil.rmtree(out / "tilerace", ignore_errors=True)
    names = sorted(str(path.relative_to(root)) for path in (root / "tilerace").rglob("*.proto"))
    arguments = [
        "protoc",
        f"-I{root}",
        f"-I{files('grpc_tools') / '_proto'}",
        f"--plugin=protoc-gen-mypy={_plugin('protoc-gen-mypy')}",
        f"--plugin=protoc-gen-mypy_grpc={_plugin('protoc-gen-mypy_grpc')}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out={out}",
        f"--mypy_grpc_out={out}",
        *names,
    ]
    if protoc.main(arguments):
        raise RuntimeError("protoc failed")
    for folder in (out / "tilerace", *(out / "tilerace").rglob("*/")):
        (folder / "__init__.py").touch()
    (out / "tilerace" / "py.typed").touch()


def _plugin(name: str) -> str:
    # Beside the interpreter, or on PATH, where pip puts what a build in isolation asked for.
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name) or name


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, without the build tool
    pass
else:

    class GenerateHook(BuildHookInterface):  # type: ignore[type-arg]
        """Runs `generate` before the wheel, or the editable install, is made."""

        def initialize(self, version: str, build_data: dict[str, object]) -> None:
            generate(Path(self.root))


if __name__ == "__main__":
    generate()
