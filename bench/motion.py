# ruff: noqa: INP001, T201 - run by its path, and prints
"""How smooth the board is: frames while sliding ten keys a second, with the processor slowed down four times.

    .venv/bin/python bench/motion.py [SLOWER] [WIDTH] [HEIGHT]

Chromium's own account of its frames (the trace's PipelineReporter), from the first key to the end of the last slide. It
draws without a graphics processor here, so a phone or laptop that has one does better.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from playwright.sync_api import Error, Page, sync_playwright

KEYS = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"] * 15
EVERY_S = 0.1
FLAGS = ["--no-sandbox", "--disable-gpu"]
CATEGORIES = ["cc", "benchmark", "disabled-by-default-devtools.timeline"]
SLIDES = "() => JSON.parse(localStorage.getItem('tilerace.solo.game')).slides"
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Frames:
    """What became of the frames: when each was shown, in milliseconds, and how many were not."""

    shown: list[float]
    dropped: int

    @property
    def intervals(self) -> list[float]:
        """Milliseconds between two frames, shortest first."""
        return sorted(later - earlier for earlier, later in pairwise(self.shown))


@contextlib.contextmanager
def gateway() -> Iterator[str]:
    """Run a gateway by itself, which is enough for the page, and give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{probe.getsockname()[1]}"
    process = subprocess.Popen(
        [sys.executable, "-m", "web_gateway"],
        env={"PATH": os.environ["PATH"], "TILERACE_LISTEN": listen},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://{listen}/"
    finally:
        process.terminate()
        process.wait()


def open_page(page: Page, address: str) -> None:
    """Open the page as soon as the gateway answers."""
    for _ in range(100):
        with contextlib.suppress(Error):
            page.goto(address)
            break
        time.sleep(0.1)
    page.locator(".tile").first.wait_for()
    page.wait_for_timeout(1000)


def press_all(page: Page) -> None:
    """Press the keys at their times, and wait for the last slide's end."""
    began = time.monotonic()
    for number, key in enumerate(KEYS):
        page.keyboard.press(key)
        page.wait_for_timeout(max(0.0, (began + (number + 1) * EVERY_S - time.monotonic()) * 1e3))
    page.wait_for_timeout(250)


def reports_of(events: list[Event]) -> Iterator[tuple[Event, float]]:
    """Pair the beginnings of Chromium's reports on frames with the times of their ends; their ids come again."""
    begun = dict[str, Event]()
    for event in sorted(events, key=lambda event: float(event.get("ts", 0))):
        if event["name"] != "PipelineReporter":
            continue
        if event["ph"] == "b":
            begun[event["id2"]["local"]] = event["args"]["frame_reporter"]
        elif (report := begun.pop(event["id2"]["local"], None)) is not None:
            yield report, event["ts"] / 1e3


def frames_of(events: list[Event]) -> Frames:
    """Read which frames were shown and when, and which were dropped though something moved."""
    shown, dropped = dict[int, float](), set[int]()
    for report, end in reports_of(events):
        if report["state"].startswith("STATE_PRESENTED"):
            shown.setdefault(report["frame_sequence"], end)
        elif report["state"] == "STATE_DROPPED" and report["affects_smoothness"]:
            dropped.add(report["frame_sequence"])
    return Frames(sorted(shown.values()), len(dropped - shown.keys()))


def busy_ms(events: list[Event]) -> Iterator[float]:
    """Give what the tasks of the page's main thread took of the processor, whatever else ran on the machine."""
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    for event in events:
        if event["name"] == "RunTask" and (event["pid"], event["tid"]) in main:
            yield event.get("tdur", 0) / 1e3


def main(slower: float, width: int, height: int) -> None:
    """Measure, and print."""
    with gateway() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": width, "height": height}, service_workers="block")
        open_page(page, address)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        browser.start_tracing(page=page, categories=CATEGORIES)
        press_all(page)
        events = json.loads(browser.stop_tracing())["traceEvents"]
        slides = page.evaluate(SLIDES)
        browser.close()
    frames = frames_of(events)
    seconds = (frames.shown[-1] - frames.shown[0]) / 1e3
    at = frames.intervals
    print(f"{width} x {height}, processor slowed {slower:g} times, {slides} slides in {seconds:.1f} s")
    print(f"frames shown    {len(frames.shown)} ({len(at) / seconds:.1f} a second)")
    print(f"frames dropped  {frames.dropped}")
    print(
        f"frame time      median {at[len(at) // 2]:.1f} ms, p95 {at[len(at) * 95 // 100]:.1f} ms, longest {at[-1]:.1f} ms"
    )
    print(f"main thread     {sum(busy_ms(events)) / slides:.1f} ms a slide")


if __name__ == "__main__":
    given = [float(each) for each in sys.argv[1:]]
    main(*given[:1] or (4,), *(int(each) for each in given[1:3] or (390, 844)))
