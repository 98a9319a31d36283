"""docs/metrics.md says what the services count."""

from pathlib import Path

from wire import metrics_page

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_page_is_as_the_services_write_it() -> None:
    assert PAGE.read_text() == metrics_page.page(), "write it anew with `python -m wire.metrics_page`"


def test_no_label_is_an_id() -> None:
    for never in ("table", "race", "request", "browser", "connection", "replica"):
        assert f"`{never}`" not in PAGE.read_text().partition("\n## ")[2]
