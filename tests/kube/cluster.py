"""The pods of the rehearsal: made, found ready, killed and replaced as Kubernetes does with those of a Deployment."""

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.kube.bridges import PROBES, Workload
from tests.kube.podman import Podman
from tests.kube.probes import Asked, ask, passes

START_S = 60.0
LOOK_S = 0.2
NETWORK = "tilerace"


@dataclass(eq=False)
class Pod:
    """One pod that runs; `ready` says whether Services lead to it."""

    name: str
    workload: Workload
    address: str
    ready: bool = False

    @property
    def container(self) -> str:
        """What podman calls its container."""
        return f"{self.name}-{self.workload.container['name']}"


@dataclass
class Cluster:
    """All pods of rendered manifests, on a network of their own."""

    podman: Podman
    workloads: Sequence[Workload]
    base: str
    """The image that their images stand on."""
    pods: list[Pod] = field(default_factory=list)
    _made: int = 0

    def start(self) -> None:
        """Make all pods at once, as applied manifests do, and wait until all are ready."""
        self.podman.run("network", "create", "--internal", NETWORK)
        made = [self.add(each, number) for each in self.workloads for number in range(each.replicas)]
        for pod in made:
            self.wait_ready(pod)

    def of(self, workload: str) -> list[Pod]:
        """Give the pods of a workload."""
        return [pod for pod in self.pods if pod.workload.name == workload]

    def add(self, workload: Workload, number: int, *, image: str | None = None) -> Pod:
        """Make a pod; it is not ready yet."""
        name = f"{workload.name}-{number}"
        played = self.podman.folder / f"{name}.yaml"
        documents = workload.pod(number, image=image)
        played.write_text("\n---\n".join(json.dumps(each, indent=1) for each in self._missing(documents)))
        aliases = ",".join(f"alias={each}" for each in workload.services)
        self.podman.run("kube", "play", "--network", f"{NETWORK}:{aliases}", str(played))
        pod = Pod(name, workload, self._address(name))
        self.pods.append(pod)
        return pod

    def wait_ready(self, pod: Pod) -> None:
        """Wait until a pod's readiness probe passes, and have Services lead to it."""
        end = time.monotonic() + START_S
        while (said := self.asks(pod, "readinessProbe")) is not None:
            assert time.monotonic() < end, f"{pod.name} is not ready: {said}\n{self.logs(pod)}"
            time.sleep(LOOK_S)
        pod.ready = True

    def asks(self, pod: Pod, probe: str) -> str | None:
        """Ask what a probe of a pod asks, once; give None where it passes, else what was said."""
        return ask(pod.workload.container[probe], self._asked(pod))

    def failures(self, pod: Pod) -> Iterator[str]:
        """Ask all that a pod's probes ask, as patiently as they do; give what was said where one does not pass."""
        for probe in PROBES:
            said = passes(pod.workload.container[probe], self._asked(pod))
            if said is not None:
                yield f"{pod.name}, {probe}: {said}"

    def kill(self, pod: Pod) -> None:
        """End a pod's process at once, as a lack of memory does, and wait until it runs again and is ready."""
        pod.ready = False
        before = self.pid(pod)
        os.kill(before, signal.SIGKILL)
        end = time.monotonic() + START_S
        while self.pid(pod) in {0, before}:
            assert time.monotonic() < end, f"{pod.name} was not started again:\n{self.logs(pod)}"
            time.sleep(LOOK_S)
        self.wait_ready(pod)

    def remove(self, pod: Pod) -> None:
        """Have a pod go: no Service leads to it, it waits for as long as preStop says, is told to stop, and is gone."""
        pod.ready = False
        time.sleep(pod.workload.pre_stop_s)
        left_s = pod.workload.grace_s - pod.workload.pre_stop_s
        self.podman.run("stop", "--time", str(left_s), pod.container)
        ended = self.podman.run("inspect", "--format", "{{.State.ExitCode}}", pod.container)
        assert ended == "0", f"{pod.name} ended with {ended}:\n{self.logs(pod)}"
        self.podman.run("pod", "rm", "--force", "--time", "0", pod.name)
        self.pods.remove(pod)

    def roll(self, workload: Workload, image: str) -> None:
        """Replace a Deployment's pods one after the other; the new one first, as maxSurge and maxUnavailable say."""
        for old in self.of(workload.name):
            self._made += 1
            new = self.add(workload, workload.replicas + self._made, image=image)
            self.wait_ready(new)
            time.sleep(workload.min_ready_s)
            self.remove(old)

    def pid(self, pod: Pod) -> int:
        """Give the number of a pod's process on this machine; 0 while it has none."""
        return int(self.podman.run("inspect", "--format", "{{.State.Pid}}", pod.container))

    def status(self, pod: Pod) -> dict[str, str]:
        """Give what the kernel says of a pod's process, by the names of /proc/PID/status."""
        lines = Path(f"/proc/{self.pid(pod)}/status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def writable(self, pod: Pod) -> set[str]:
        """Give where a pod's process could write to something that is mounted, the kernel's own places aside."""
        mounts = [line.split() for line in Path(f"/proc/{self.pid(pod)}/mounts").read_text().splitlines()]
        points = {point for _, point, _, options, *_ in mounts if "rw" in options.split(",")}
        return {point for point in points if not point.startswith(("/dev", "/proc", "/sys"))}

    def logs(self, pod: Pod) -> str:
        return self.podman.logs(pod.container)

    def _asked(self, pod: Pod) -> Asked:
        execute = partial(self._execute, pod)
        return Asked(pod.address, pod.workload.ports, execute)

    def _execute(self, pod: Pod, command: Sequence[str]) -> str:
        return self.podman.run("exec", pod.container, *command)

    def _address(self, pod: str) -> str:
        infra = self.podman.asked("pod", "inspect", pod)["InfraContainerID"]
        (found,) = self.podman.asked("inspect", infra)
        return str(found["NetworkSettings"]["Networks"][NETWORK]["IPAddress"])

    def _missing(self, documents: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
        """Leave out the claims that have their volume: podman would make it anew, and refuses to."""
        volumes = set(self.podman.run("volume", "ls", "--quiet").split())
        for each in documents:
            if each["kind"] != "PersistentVolumeClaim" or self._name(each) not in volumes:
                yield each

    @staticmethod
    def _name(document: dict[str, object]) -> str:
        metadata = document["metadata"]
        assert isinstance(metadata, dict)
        return str(metadata["name"])
