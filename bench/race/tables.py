"""Tables of tilerace as the generator has them: opened, sat at, watched, and raced at."""

import json
from collections.abc import Sequence
from http.client import HTTPConnection

from bench.race.player import Racer

NAMES = ("Ann", "Bo", "Cy", "Di")
WAIT_S = 30.0


def open_table(port: int) -> tuple[str, str]:
    """Open a table for highest tile without a clock; give the path of its socket and its host's cookie."""
    connection = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    rules = json.dumps({"name": NAMES[0], "rules": {"target": None, "clock_s": None}})
    connection.request("POST", "/api/tables", rules, {"content-type": "application/json"})
    answer = connection.getresponse()
    opened = json.loads(answer.read())
    cookie = str(answer.getheader("set-cookie")).partition(";")[0]
    connection.close()
    return f"/api/tables/{opened['table']}/socket", cookie


def seat_table(ports: Sequence[int], size: int = len(NAMES)) -> tuple[str, list[Racer]]:
    """Have some sit at a new table, each by the next of the gateways; give its path and them, the host first."""
    path, cookie = open_table(ports[0])
    racers = [Racer.at(ports[0], path, cookie=cookie)]
    for seat, name in enumerate(NAMES[1:size], start=1):
        racer = Racer.at(ports[seat % len(ports)], path)
        racer.ask({"type": "sit", "name": name})
        racers.append(racer)
    return path, racers


def race_table(ports: Sequence[int], size: int = len(NAMES)) -> list[Racer]:
    """Have some sit at a new table and start their race."""
    _, racers = seat_table(ports, size)
    for racer in racers[1:]:
        racer.ask({"type": "ready", "ready": True})
    racers[0].ask({"type": "start"})
    return racers


def seat_racers(ports: Sequence[int], count: int) -> list[Racer]:
    """Start races of four, and give the racers once all boards are alive."""
    racers = [
        racer
        for start in range(0, count, len(NAMES))
        for racer in race_table(_turned(ports, start // len(NAMES)), min(len(NAMES), count - start))
    ]
    for racer in racers:
        racer.wait_to_slide()
    return racers


def _turned(ports: Sequence[int], by: int) -> Sequence[int]:
    at = by % len(ports)
    return [*ports[at:], *ports[:at]]
