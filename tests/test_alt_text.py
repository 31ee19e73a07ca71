"""Every picture says in words what is drawn, in the reader's language, in the output of its cell."""

import re
from base64 import b64encode

import nbformat
import pytest
from bs4 import BeautifulSoup
from IPython.core.interactiveshell import InteractiveShell
from nbconvert import HTMLExporter
from test_plots import PICTURES

from helpers import text
from helpers.plots import style


@pytest.fixture(autouse=True)
def _language():
    before = text.spoken()
    yield
    text.speak(before)


def drawn(name, language):
    text.speak(language)
    return PICTURES[name]()


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_has_words_of_its_own_with_numbers(name, language):
    figure = drawn(name, language)
    title = figure.get_suptitle().splitlines()[0]
    assert figure.alt.startswith(title)
    assert re.search(r"\d", figure.alt.removeprefix(title))
    assert "<" not in figure.alt
    assert len(figure.alt) < 1501
    for label in (axes.get_ylabel() for axes in figure.axes):
        assert " ".join(label.split()) in figure.alt


def test_the_words_are_those_of_the_data():
    text.speak("en")
    figure, (axes,) = style.new_figure("Two lines", heights=(3,))
    axes.plot([1, 2, 4], [10.0, 7.5, 20.0], label="measured")
    axes.plot([1, 2], [0, 0], label="_hidden")
    axes.axhline(15, label="SLO 15 ms")
    axes.scatter([3, 5], [1.0, 2.0], label="points")
    axes.text(2, 7.5, "the knee")
    axes.set_xlabel("batch")
    axes.set_ylabel("ms")
    assert figure.alt == (
        "Two lines. ms against batch: 1 to 5; measured: 7.5 to 20; SLO 15 ms: 15; points: 1 to 2; "
        "in the picture: the knee."
    )


def test_bars_stand_for_what_the_ticks_say():
    text.speak("en")
    figure, (axes,) = style.new_figure("Bars", heights=(3,))
    axes.bar([0, 1], [3.0, 4.0], label="time")
    axes.set_xticks([0, 1], ["8", "64"])
    axes.set_xlabel("batch")
    axes.set_ylabel("ms")
    assert figure.alt == "Bars. ms against batch: 8, 64; time: 3 to 4."


def test_the_words_stand_in_the_output_and_nbconvert_hands_them_to_a_reader():
    figure = drawn(next(iter(PICTURES)), "en")
    data, metadata = InteractiveShell.instance().display_formatter.format(figure)
    assert metadata["image/png"]["alt"] == data["text/plain"] == figure.alt
    cell = nbformat.v4.new_code_cell("figure")
    data = {**data, "image/png": b64encode(data["image/png"]).decode()}
    cell.outputs = [nbformat.v4.new_output("execute_result", data, metadata=metadata, execution_count=1)]
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert BeautifulSoup(page, "html.parser").find("img")["alt"] == figure.alt
