"""Head and top bar are written once, and every page is composed with them."""

from web_gateway.compose import compose, join_styles, preload, readdress

PARTS = {
    "head": '<meta charset="utf-8" />\n<meta content="{{title}}, {{description}}, {{site}}" />\n',
    "top": '<nav>\n  <a href="/rules">Rules</a>\n</nav>\n',
}
VALUES = {"site": "https://race.example", "address": "/rules"}


def test_a_part_stands_where_the_page_names_it_indented_alike() -> None:
    page = "<body>\n  <!-- top -->\n  <main></main>\n</body>\n"
    composed = '<body>\n  <nav>\n    <a href="/rules">Rules</a>\n  </nav>\n  <main></main>\n</body>\n'
    assert compose(page, PARTS, {}) == composed


def test_a_comment_that_names_no_part_stays() -> None:
    page = "<!-- foot -->\n<p>Between <!-- top --> words</p>\n"
    assert compose(page, PARTS, {}) == page


def test_a_part_tells_the_pages_own_title_and_description() -> None:
    page = '<!-- head -->\n<title>A table</title>\n<meta name="description" content="Race." />\n'
    assert '<meta content="A table, Race., https://race.example" />' in compose(page, PARTS, VALUES)


def test_the_link_to_the_page_itself_says_so_and_no_other_does() -> None:
    assert '<a href="/rules" aria-current="page">' in compose("<!-- top -->\n", PARTS, VALUES)
    assert "aria-current" not in compose("<!-- top -->\n", PARTS, VALUES | {"address": "/how-to-win"})
    assert "aria-current" not in compose("<!-- top -->\n", PARTS, VALUES | {"address": ""})


def test_a_page_without_styles_stays_as_it_is() -> None:
    assert join_styles("<p>Plain</p>\n") == ("<p>Plain</p>\n", {})


def test_styles_are_joined_where_the_first_stood() -> None:
    link = '  <link rel="stylesheet" href="/css/{}.css" />\n'.format
    page, joined = join_styles(f"<head>\n{link('b')}  <title>T</title>\n{link('a-c')}{link('b')}</head>\n")
    assert page == f"<head>\n{link('b+a-c')}  <title>T</title>\n</head>\n"
    assert joined == {"css/b+a-c.css": ["css/b.css", "css/a-c.css"]}


def test_what_an_entry_needs_is_named_behind_it() -> None:
    entry = '  <script type="module" src="/js/a.js"></script>\n'
    page = preload(entry, lambda path: [f"needed/by/{path}"])
    assert page == f'{entry}  <link rel="modulepreload" href="/needed/by/js/a.js" />\n'


def test_what_a_later_entry_alone_needs_has_its_priority() -> None:
    first, later = '<script type="module" src="/{}"{}></script>\n'.format, ' fetchpriority="low"'
    page = preload(
        first("a.js", "") + first("b.js", later), {"a.js": ["c.js"], "b.js": ["c.js", "d.js"]}.__getitem__
    )
    assert page.count("modulepreload") == 2
    assert f'<link rel="modulepreload" href="/d.js"{later} />' in page


def test_only_files_get_other_addresses() -> None:
    page = '<a href="/rules">R</a><script src="/js/a.js"></script><a href="https://x.example/js/a.js">X</a>'
    moved = readdress(page, {"js/a.js": "/at/1/js/a.js"}.get)
    assert moved == page.replace('src="/js/a.js"', 'src="/at/1/js/a.js"')
