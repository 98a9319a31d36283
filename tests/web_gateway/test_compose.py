"""Head and top bar are written once, and every page is composed with them."""

from web_gateway.compose import compose

PARTS = {"head": '<meta charset="utf-8" />\n', "top": '<nav>\n  <a href="/rules">Rules</a>\n</nav>\n'}


def test_a_part_stands_where_the_page_names_it_indented_alike() -> None:
    page = "<body>\n  <!-- top -->\n  <main></main>\n</body>\n"
    composed = compose(page, PARTS, address=None)
    assert composed == (
        '<body>\n  <nav>\n    <a href="/rules">Rules</a>\n  </nav>\n  <main></main>\n</body>\n'
    )


def test_a_comment_that_names_no_part_stays() -> None:
    page = "<!-- foot -->\n<p>Between <!-- top --> words</p>\n"
    assert compose(page, PARTS, address=None) == page


def test_the_link_to_the_page_itself_says_so_and_no_other_does() -> None:
    assert '<a href="/rules" aria-current="page">' in compose("<!-- top -->\n", PARTS, address="/rules")
    assert "aria-current" not in compose("<!-- top -->\n", PARTS, address="/how-to-win")
