"""Writes the bill of materials of an image, in CycloneDX 1.6: Python, its packages, and those of the distribution.

It runs while an image is built, by the Python of the image and with nothing but its library, so that what it lists is what
is there. It says no time and no number of its own: the same image has the same bill.
"""

import json
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

DPKG = Path("/var/lib/dpkg/status")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_SAFE = re.compile(r"[^A-Za-z0-9._~-]")


def bill(product: str, status: str, release: dict[str, str]) -> dict[str, Any]:
    """Write the bill of an image of `product`, a package that is installed; `status` is what dpkg knows of the rest."""
    installed = {_normal(each.name): each for each in distributions()}
    whole = _python_package(installed[_normal(product)]) | {"type": "application"}
    libraries = [
        _python_package(each) for name, each in sorted(installed.items()) if name != _normal(product)
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": whole},
        "components": [*libraries, _python(), *_debian_packages(status, release)],
        "dependencies": [_needs(each, installed) for _, each in sorted(installed.items())],
    }


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _python() -> dict[str, Any]:
    purl = f"pkg:generic/python@{platform.python_version()}"
    return {
        "type": "platform",
        "bom-ref": purl,
        "name": "python",
        "version": platform.python_version(),
        "purl": purl,
    }


def _ref(package: Distribution) -> str:
    return f"pkg:pypi/{_normal(package.name)}@{_escaped(package.version)}"


def _python_package(package: Distribution) -> dict[str, Any]:
    ref = _ref(package)
    told: dict[str, Any] = {
        "type": "library",
        "bom-ref": ref,
        "name": package.name,
        "version": package.version,
        "purl": ref,
    }
    field = "License-Expression"
    if field not in package.metadata:
        return told
    return told | {"licenses": [{"expression": package.metadata[field]}]}


def _needs(package: Distribution, installed: dict[str, Distribution]) -> dict[str, Any]:
    asked = [each for each in package.requires or [] if "extra ==" not in each]
    named = {_normal(found[0]) for each in asked if (found := _NAME.match(each))}
    return {
        "ref": _ref(package),
        "dependsOn": sorted(_ref(installed[name]) for name in named & installed.keys()),
    }


def _debian_packages(status: str, release: dict[str, str]) -> Iterator[dict[str, Any]]:
    for entry in status.split("\n\n"):
        told = dict(re.findall(r"^(Package|Status|Version|Architecture|Source): (.+)$", entry, re.MULTILINE))
        if told.get("Status") != "install ok installed":
            continue
        kind, distro = release.get("ID", "debian"), release.get("VERSION_ID", "")
        purl = f"pkg:deb/{kind}/{_escaped(told['Package'])}@{_escaped(told['Version'])}?arch={told['Architecture']}"
        purl += f"&distro={kind}-{distro}" if distro else ""
        yield {
            "type": "library", "bom-ref": purl, "name": told["Package"], "version": told["Version"], "purl": purl,
            "properties": [{"name": "debian:source", "value": told.get("Source", told["Package"])}],
        }  # fmt: skip


def _escaped(version: str) -> str:
    return _SAFE.sub(lambda found: f"%{ord(found[0]):02X}", version)


def main(arguments: Sequence[str]) -> None:
    """Print the bill of the image that this runs in; the argument is the package that the image is of."""
    status = DPKG.read_text(encoding="utf-8") if DPKG.exists() else ""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    json.dump(bill(arguments[0], status, release), sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
