"""What a module needs before it runs, however its imports are written."""

import pytest

from web_gateway.imports import imported, reached


@pytest.mark.parametrize(
    "line",
    [
        'import "./b.js";',
        "import './b.js';",
        'import b from "./b.js";',
        'import * as b from "./b.js";',
        'import { a, b as c } from "./b.js";',
        'import d, { a } from "./b.js";',
        'import {\n  a,\n  b,\n} from "./b.js";',
        'export { a } from "./b.js";',
        'export * from "./b.js";',
    ],
)
def test_an_import_is_found_as_it_may_be_written(line: str) -> None:
    assert imported("js/a.js", f"// first\n{line}\n") == ["js/b.js"]


@pytest.mark.parametrize(
    "line",
    [
        'const late = () => import("./b.js");',
        '/** @typedef {import("./b.js").B} B */',
        ' * @param {import("./b.js").B} b',
        'export const where = "./b.js";',
        'import("./b.js");',
        '// import "./b.js";',
    ],
)
def test_what_is_not_needed_to_run_is_passed_over(line: str) -> None:
    assert imported("js/a.js", line) == []


def test_everything_is_reached_once_nearest_first_also_in_a_circle() -> None:
    sources = {
        "js/pages/entry.js": b'import "../b.js";\nimport "../c.js";\n',
        "js/b.js": b'import "./d.js";\n',
        "js/c.js": b'import "./b.js";\nimport "./pages/entry.js";\nimport "./lost.js";\n',
        "js/d.js": b'import "./c.js";\n',
        "js/apart.js": b"",
    }
    assert reached("js/pages/entry.js", sources) == ["js/b.js", "js/c.js", "js/d.js"]
