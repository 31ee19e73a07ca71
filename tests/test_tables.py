"""Tables align in a terminal with Chinese headings and are plain HTML in a notebook."""

import pytest

from helpers import text
from helpers.tables import shown, table


def test_columns_align_by_display_width_and_figures_stand_right():
    text.speak("zh")
    rows = [{"waiting": 7, "admitted": ("A", "B")}, {"waiting": 1234, "admitted": ()}]
    assert repr(table(rows)).splitlines() == [" 排队  进入", "    7  A, B", "1,234  –"]


def test_headings_follow_the_language_and_unknown_keys_stay():
    text.speak("en")
    made = table([{"waiting": 1, "own_key": "x"}])
    text.speak("zh")
    assert made.headings == ("waiting", "own_key")


def test_html_escapes_what_a_student_wrote():
    html = table([{"note": "<script>alert(1)</script>"}])._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "–"),
        (4.0939521, "4.094"),
        (12_207_900_160, "12,207,900,160"),
        (1234.5, "1,234"),
        (True, "True"),
    ],
)
def test_figures_are_shown_with_four_digits_and_separated_thousands(value, expected):
    assert shown(value) == expected


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="rows must hold at least one row"):
        table([])


def test_each_heading_says_that_it_heads_a_column():
    html = table([{"batch": 1, "iteration_ms": 4.0}])._repr_html_()
    assert html.count('<th scope="col">') == html.count("</th>") == 2
