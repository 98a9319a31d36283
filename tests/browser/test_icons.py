"""The pictures that stand for the page elsewhere: there, of their size, small, in the colours of the tiles."""

import pytest
from tests.browser.conftest import Visits
from tests.browser.visitor import Visitor

SIZES = {
    "icons/icon-192.png": (192, 192),
    "icons/icon-512.png": (512, 512),
    "icons/icon-maskable-512.png": (512, 512),
    "icons/apple-touch-icon.png": (180, 180),
    "icons/card.png": (1200, 630),
    "favicon.ico": (48, 48),
}
TAB = "the icon of tabs"
"""Its address is that of the build."""
KIB = 1024
READ_SIZE = """async (path) => {
    const image = new Image();
    image.src = `/${path}`;
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
}"""
# Pixels as #rrggbb, or null where one can see through.
READ_PIXELS = """async ([path, places]) => {
    const image = new Image();
    image.src = path === "TAB" ? document.querySelector("link[rel=icon]").href : `/${path}`;
    await image.decode();
    const brush = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
    brush.drawImage(image, 0, 0, 64, 64);
    const hex = (part) => part.toString(16).padStart(2, "0");
    return places.map(([x, y]) => {
        const [red, green, blue, alpha] = brush.getImageData(x, y, 1, 1).data;
        return alpha < 255 ? null : `#${hex(red)}${hex(green)}${hex(blue)}`;
    });
}""".replace("TAB", TAB)
FILLS = """exponents => exponents.map((exponent) => {
    const tile = document.createElement("i");
    tile.dataset.exponent = exponent;
    document.body.append(tile);
    const fill = getComputedStyle(tile).getPropertyValue("--fill").trim();
    tile.remove();
    return fill;
})"""


@pytest.fixture
def viewer(visit: Visits) -> Visitor:
    """Somebody on a page of ours, which may load its pictures."""
    visitor = visit()
    visitor.page.goto("/rules")
    return visitor


def pixels(viewer: Visitor, path: str, *places: tuple[int, int]) -> list[str | None]:
    found: list[str | None] = viewer.page.evaluate(READ_PIXELS, [path, places])
    return found


def test_every_picture_has_its_size(viewer: Visitor) -> None:
    for path, size in SIZES.items():
        assert tuple(viewer.page.evaluate(READ_SIZE, path)) == size, path


def test_the_pictures_are_small(viewer: Visitor) -> None:
    bytes_of = {path: len(viewer.page.request.get(f"/{path}").body()) for path in SIZES}
    assert bytes_of.pop("icons/card.png") < 64 * KIB
    assert sum(bytes_of.values()) < 32 * KIB


def test_the_mark_has_the_colours_of_its_tiles(viewer: Visitor) -> None:
    fills = viewer.page.evaluate(FILLS, [3, 4, 7, 11])
    middles = [(18, 18), (46, 18), (18, 46), (46, 46)]
    for path in (TAB, "icons/icon-192.png", "icons/icon-512.png"):
        assert pixels(viewer, path, *middles) == fills, path


def test_icons_that_others_cut_have_no_corners_of_their_own(viewer: Visitor) -> None:
    corners = [(0, 0), (63, 0), (0, 63), (63, 63)]
    assert pixels(viewer, TAB, *corners) == [None] * 4
    for path in ("icons/apple-touch-icon.png", "icons/icon-maskable-512.png"):
        plate = pixels(viewer, path, *corners)
        assert plate == [plate[0]] * 4
        assert plate[0] is not None


def test_the_mark_stays_whole_in_the_circle_that_every_mask_leaves(viewer: Visitor) -> None:
    places = [
        (x, y) for x in range(64) for y in range(64) if (x - 31.5) ** 2 + (y - 31.5) ** 2 > (0.4 * 64) ** 2
    ]
    assert len(set(pixels(viewer, "icons/icon-maskable-512.png", *places))) == 1
