"""What axe finds on a page, in light and in dark."""

from typing import Literal, get_args

from axe_playwright_python.sync_playwright import Axe
from tests.browser.visitor import Visitor

Scheme = Literal["light", "dark"]
# What fades in has its colours at its end only.
CALM = {"reduced_motion": "reduce"}


def faults(visitor: Visitor) -> list[str]:
    """Give what axe finds in either scheme: its rule, and where."""
    return [fault for scheme in get_args(Scheme) for fault in faults_in(scheme, visitor)]


def faults_in(scheme: Scheme, visitor: Visitor) -> list[str]:
    visitor.page.emulate_media(color_scheme=scheme)
    found = Axe().run(visitor.page).response["violations"]
    return [
        f"{scheme} {fault['id']}: {node['target']} {node['html'][:120]}"
        for fault in found
        for node in fault["nodes"]
    ]
