"""What the rehearsal of the manifests needs: the distribution's own podman and what goes with it, and a kubectl."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator

from play.workspace.installing import Failed, apt_install, may_use_apt, say

PACKAGES = {
    "podman": "podman",
    "buildah": "buildah",
    "runc": "runc",
    "conmon": "conmon",
    "catatonit": "catatonit",
    "netavark": "netavark",
    "aardvark-dns": "aardvark-dns",
    "iptables": "iptables",
    "debootstrap": "debootstrap",
}
"""The packages of Debian and its kin, by the program that each is for."""
HELPERS = os.pathsep.join(("/usr/lib/podman", "/usr/libexec/podman", "/usr/sbin", "/sbin"))
"""Where podman looks for programs of its own, which are on nobody's search path."""
LEAST_KUBECTL = (1, 27)
"""The first whose kustomize renders all that k8s/ uses."""

NOT_ROOT = (
    "The rehearsal makes the root file system of a container, which only root may; run `sudo make test-kube`."
)
NO_KUBECTL = (
    f"The manifests are rendered by kubectl {LEAST_KUBECTL[0]}.{LEAST_KUBECTL[1]} or newer, which Debian does not have; "
    "install it as https://kubernetes.io/docs/tasks/tools/ says, so that `kubectl` is found."
)


def need_kube() -> None:
    """See to it that the rehearsal can run, installing what the distribution has where we may.

    Raises:
        Failed: something is missing, and we may not or cannot install it.
    """
    if os.geteuid() != 0:
        raise Failed(NOT_ROOT)
    if not _has_kubectl():
        raise Failed(NO_KUBECTL)
    missing = list(_missing())
    if missing and may_use_apt():
        say(f"Installing {', '.join(missing)} for the rehearsal of the manifests …")
        apt_install(" ".join(missing), _words(missing))
        missing = list(_missing())
    if missing:
        raise Failed(_words(missing))


def _missing() -> Iterator[str]:
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), HELPERS))
    return (package for program, package in PACKAGES.items() if shutil.which(program, path=path) is None)


def _words(missing: list[str]) -> str:
    return f"The rehearsal of the manifests needs {', '.join(missing)}; install the packages of these names of your system."


def _has_kubectl() -> bool:
    if shutil.which("kubectl") is None:
        return False
    asked = ["kubectl", "version", "--client", "--output", "json"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=30).stdout
        version = json.loads(told)["clientVersion"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return False
    numbers = (re.match(r"\d+", version[part]) for part in ("major", "minor"))
    return tuple(int(number[0]) for number in numbers if number is not None) >= LEAST_KUBECTL
