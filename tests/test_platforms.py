"""Which platform this is, where results survive there, and that every fact names its source."""

import datetime
import json
import re

import pytest

from helpers import platforms, text

EVERYWHERE = {
    "colab": ({"COLAB_RELEASE_TAG": "release-colab_20260901"}, ("/content",), "linux"),
    "kaggle": ({"KAGGLE_KERNEL_RUN_TYPE": "Interactive"}, ("/kaggle/working",), "linux"),
    "modelscope": ({"MODELSCOPE_ENVIRONMENT": "dsw"}, ("/mnt/workspace",), "linux"),
    "aistudio": ({}, ("/home/aistudio/work",), "linux"),
    "studiolab": ({}, ("/home/studio-lab-user",), "linux"),
    "jupyterhub": ({"JUPYTERHUB_USER": "ada"}, (), "linux"),
    "vscode": ({"VSCODE_PID": "7"}, (), "darwin"),
    "jupyterlite": ({}, (), "emscripten"),
    "local": ({}, (), "win32"),
}


def detected(environ, paths=(), system="linux", writable=lambda folder: True):
    return platforms.detect(environ, lambda path: path in paths, system, writable)


@pytest.mark.parametrize("name", platforms.PLATFORMS)
def test_each_platform_is_recognised_and_writes_where_the_table_says(name):
    here = detected(*EVERYWHERE[name])
    assert here.name == name
    assert here.results_folder.as_posix() == f"{platforms.FACTS[name].folder}/results".removeprefix("./")
    assert here.stays == (here.facts.stays in ("always", "when_saved"))


@pytest.mark.parametrize("name", platforms.PLATFORMS)
def test_every_row_of_the_table_names_its_source_and_date(name):
    facts = platforms.FACTS[name]
    assert re.match(r"https://\S+", facts.source)
    assert datetime.date(2020, 1, 1) < datetime.date.fromisoformat(facts.checked)
    assert (facts.gpu_hours is None) == (facts.gpu_hours_per is None)
    assert facts.session_hours is None or 0 < facts.session_hours <= 24


@pytest.mark.parametrize("name", platforms.PLATFORMS)
@pytest.mark.parametrize("language", text.LANGUAGES)
def test_the_note_names_the_folder_and_what_becomes_of_it(name, language):
    text.speak(language)
    here = detected(*EVERYWHERE[name])
    assert str(here.results_folder) in here.note
    assert text.say(f"platform.kept.{here.kept}") in here.note
    text.speak("zh")


def test_a_mounted_drive_makes_colab_results_stay():
    environ, paths, _ = EVERYWHERE["colab"]
    lost = detected(environ, paths)
    kept = detected(environ, (*paths, "/content/drive/MyDrive"))
    assert (lost.stays, kept.stays) == (False, True)
    assert kept.results_folder.as_posix() == "/content/drive/MyDrive/results"


def test_a_modelscope_setting_on_a_laptop_is_no_modelscope_notebook():
    assert detected({"MODELSCOPE_CACHE": "/home/ada/models"}).name == "local"


def test_a_folder_that_cannot_be_written_gives_way_to_the_home_folder_and_then_to_one_that_is_lost():
    home = detected({"HOME": "/home/ada"}, writable=lambda folder: folder == "/home/ada")
    nowhere = detected({"HOME": "/home/ada"}, writable=lambda folder: False)
    assert (home.results_folder.as_posix(), home.stays) == ("/home/ada/results", True)
    assert not nowhere.stays


@pytest.fixture
def nobody_has_spoken(monkeypatch):
    monkeypatch.setattr(text._Voice, "is_chosen", False)


def test_the_line_says_what_is_kept_in_the_language_chosen():
    text.speak("en")
    assert platforms.line().endswith("results: kept")
    text.speak("zh")
    assert platforms.line().endswith("results: 会保留")


def test_the_line_names_platform_device_version_and_folder_in_both_languages(nobody_has_spoken):
    line = platforms.line()
    assert line.count("\n") == 0
    assert [part.split(" ")[0] for part in line.split(" | ")][2] == "helpers"
    assert " · " in line


def test_helpers_older_than_the_notebook_is_said(nobody_has_spoken):
    name = "https://ada.github.io/llm/iteration_budget_helpers-{}-py3-none-any.whl"
    assert "older than this notebook's 99.1" in platforms.line(name.format("99.1"))
    assert "older" not in platforms.line(name.format("0.0.9"))
    assert "older" not in platforms.line("")


@pytest.mark.parametrize(
    ("system", "said", "expected"),
    [
        ("linux", "Tesla T4\n", "Tesla T4"),
        ("linux", "Tesla T4\nTesla T4\n", "2 × Tesla T4"),
        ("emscripten", "", "WebAssembly"),
    ],
)
def test_the_device_is_named_without_torch(system, said, expected):
    assert platforms.device(system, lambda: said) == expected


def test_without_a_gpu_the_processors_are_counted():
    assert platforms.device("linux", lambda: "").startswith("CPU × ")


def test_a_refused_drive_is_said_in_one_sentence(monkeypatch, capsys):
    environ, paths, _ = EVERYWHERE["colab"]
    colab = detected(environ, paths)
    monkeypatch.setattr(platforms, "detect", lambda: colab)

    def refuse(where):
        raise ValueError("mount failed")

    here = platforms.keep_results(refuse)
    assert not here.stays
    assert capsys.readouterr().out.strip() == text.say("platform.no_drive", folder=here.results_folder)


def test_where_results_stay_anyway_nothing_is_mounted(monkeypatch, capsys):
    kaggle = detected(*EVERYWHERE["kaggle"])
    monkeypatch.setattr(platforms, "detect", lambda: kaggle)
    assert platforms.keep_results(lambda where: pytest.fail("mounted")).name == "kaggle"
    assert "/kaggle/working/results" in capsys.readouterr().out


def test_results_beside_the_notebook_are_carried_to_the_folder_that_stays(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.json").write_text(json.dumps({"workload": {"id": "an-experiment"}}), encoding="utf-8")
    (tmp_path / "open.jsonl").write_text(
        '{"kind": "header", "report": {"workload": {"id": "an-experiment"}}}\n{"kind": "sh',
        encoding="utf-8",
    )
    (tmp_path / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    here = platforms.Platform("local", tmp_path / "kept", True)
    monkeypatch.setattr(platforms, "detect", lambda: here)
    platforms.keep_results()
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == ["mine.json", "open.jsonl"]
    assert platforms.carry([tmp_path], tmp_path / "kept") == []
    assert "mine.json" in capsys.readouterr().out


def test_a_result_that_is_there_already_is_not_replaced(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "mine.json").write_text('{"workload": {"id": "other"}}', encoding="utf-8")
    (tmp_path / "b" / "mine.json").write_text("first", encoding="utf-8")
    assert platforms.carry([tmp_path / "a"], tmp_path / "b") == []
    assert (tmp_path / "b" / "mine.json").read_text(encoding="utf-8") == "first"
