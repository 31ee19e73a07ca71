"""The edition for those who learn alone: solutions folded behind exercises, none in a class's bundle."""

import json

import pytest
import small

from course.publishing import bundle

SOLUTION = "twice_the_number = number + number"
EXPLAINED = """
[double]
zh = "加一遍自己。"
en = "It is added to itself."
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    made = small.course(tmp_path_factory.mktemp("alone"))
    (made.secret_half(small.LESSON) / "explained.toml").write_text(EXPLAINED, encoding="utf-8")
    for name in ("LICENSE", "LICENSES", "pyproject.toml"):
        (made.root / name).symlink_to(small.ROOT / name)
    small.run(made, "release")
    return made


def published(course, *options):
    """What stands in the published notebooks, by language: (id, source) of each cell."""
    to = course.root / "out" / "-".join(("to", *options))
    small.run(course, "publish", "--to", str(to), *options)
    return {
        language: [
            (cell["id"], "".join(cell["source"]))
            for cell in json.loads((to / bundle.path_of(language, small.LESSON)).read_text("utf-8"))["cells"]
        ]
        for language in ("zh", "en")
    }


@pytest.mark.parametrize(("language", "told"), [("zh", "加一遍自己。"), ("en", "It is added to itself.")])
def test_a_solution_lies_folded_behind_the_check_of_its_exercise(course, language, told):
    cells = published(course, "--self-study")[language]
    names = [name for name, _ in cells]
    folded = dict(cells)["solved-double"]
    assert names.index("solved-double") == names.index("double-check") + 1
    assert folded.startswith("<details>")
    assert folded.endswith("</details>")
    assert SOLUTION in folded
    assert told in folded
    assert "###" not in folded


def test_the_learner_still_writes_the_answer_and_sees_no_graded_cell(course):
    cells = dict(published(course, "--self-study")["en"])
    assert SOLUTION not in cells["double"]
    assert not set(small.CONCEPTS) & set(cells)


def test_a_classes_bundle_holds_no_solution(course):
    everything = [source for cells in published(course).values() for _, source in cells]
    assert not any(SOLUTION in source or "<details>" in source for source in everything)
