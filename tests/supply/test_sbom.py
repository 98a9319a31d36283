"""The bill of materials that is made with each image; tests/kube looks at those of the images themselves."""

import importlib.util
import json
import subprocess
import sys
from importlib.metadata import distributions
from types import ModuleType

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from supply.locks import ROOT

PROGRAM = ROOT / "k8s" / "images" / "sbom.py"
STATUS = """Package: libc6
Status: install ok installed
Source: glibc
Architecture: amd64
Version: 2.36-9+deb12u10
Description: a library
 Version: of no package

Package: libstdc++6
Status: install ok installed
Architecture: amd64
Version: 1:12.2.0-14

Package: gone
Status: deinstall ok config-files
Architecture: amd64
Version: 1.0
"""
RELEASE = {"ID": "debian", "VERSION_ID": "12"}


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_keeps_to_the_schema_and_lists_every_package_of_the_python_it_runs_in() -> None:
    text = subprocess.run(
        [sys.executable, PROGRAM, "tilerace-web-gateway"], capture_output=True, text=True, check=True
    ).stdout
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    told = json.loads(text)
    listed = {
        (each["name"], each["version"]) for each in (*told["components"], told["metadata"]["component"])
    }
    assert {(each.name, each.version) for each in distributions()} <= listed
    assert ("python", sys.version.split()[0]) in listed


def test_a_package_of_the_distribution_is_named_with_its_source_and_release(sbom: ModuleType) -> None:
    told = sbom.bill("tilerace-web-gateway", STATUS, RELEASE)
    debian = [each for each in told["components"] if each["purl"].startswith("pkg:deb/")]
    libc, libstdc = debian
    assert libc["purl"] == "pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12"
    assert libc["version"] == "2.36-9+deb12u10"
    assert libc["properties"] == [{"name": "debian:source", "value": "glibc"}]
    assert libstdc["purl"] == "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14?arch=amd64&distro=debian-12"


def test_it_says_what_needs_what(sbom: ModuleType) -> None:
    told = sbom.bill("tilerace-web-gateway", "", {})
    needs = {each["ref"].partition("@")[0]: each["dependsOn"] for each in told["dependencies"]}
    named = {ref.partition("@")[0] for ref in needs["pkg:pypi/tilerace-web-gateway"]}
    assert {"pkg:pypi/starlette", "pkg:pypi/tilerace-wire"} <= named
    assert needs["pkg:pypi/tilerace-engine"] == []


def test_the_same_image_has_the_same_bill(sbom: ModuleType) -> None:
    assert sbom.bill("tilerace-web-gateway", STATUS, RELEASE) == sbom.bill(
        "tilerace-web-gateway", STATUS, RELEASE
    )
