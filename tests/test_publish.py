"""The bundle for students: complete, small, the same bytes each time, its links as platforms state them."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.lesson.toml import load_toml
from course.publishing import bundle, links, wheel
from course.text import Problem
from helpers import platforms, text

ROOT = Path(__file__).parents[1]
LESSON, HALVES = "our-lesson", ROOT / "helpers" / "lessons"
FIRST_CELL = (ROOT / "source" / "frame" / "first_cell.py").read_text(encoding="utf-8").rstrip("\n")
ZIP = f"{load_toml(ROOT / 'pyproject.toml')['project']['name']}.zip"
PLACE = (
    'repository = "ada/llm"\nbranch = "gh-pages"\naddress = "https://ada.github.io/llm/"\nbrowser = "lite/"\n'
)


@pytest.fixture
def course(tmp_path):
    """A course of one small lesson in two languages, released."""
    root = tmp_path / "course"
    root.mkdir()
    for name in ("helpers", "LICENSES"):
        (root / name).symlink_to(ROOT / name)
    for name in ("LICENSE", "pyproject.toml"):
        shutil.copyfile(ROOT / name, root / name)
    (root / "nbgrader_config.py").write_text("", encoding="utf-8")
    for language, title in (("zh", "迭代预算 <一课>"), ("en", "The budget & <more>")):
        for kind in ("source", "release"):
            notebook = nbformat.v4.new_notebook(metadata={"iteration_budget": {"language": language}})
            notebook.cells = [
                nbformat.v4.new_markdown_cell(f"# {title}", id="title"),
                nbformat.v4.new_code_cell(FIRST_CELL, id="setup"),
            ]
            notebooks.save(notebook, root / kind / language / LESSON / f"{LESSON}.ipynb")
    return CourseFolder(root)


def published(course, settings=""):
    (course.root / "publish.toml").write_text(settings, encoding="utf-8")
    return bundle.bundle(course)


def built(course, languages):
    """A browser site beside the bundle, as far as the start page looks at it."""
    for language in languages:
        served = course.root / "bundle" / "lite" / "files" / bundle.path_of(language, LESSON)
        served.parent.mkdir(parents=True)
        served.touch()


def hrefs(page):
    return re.findall(r'href="([^"]+)"', page.decode("utf-8"))


def test_the_bundle_holds_every_lesson_in_both_languages_the_wheel_the_pages_and_a_zip(course):
    files = published(course)
    assert set(files) == {
        "index.html",
        "index.en.html",
        f"zh/{LESSON}/{LESSON}.ipynb",
        f"en/{LESSON}/{LESSON}.ipynb",
        wheel.build(course.root).name,
        ZIP,
        "AGENTS.md",
        "SHA256SUMS",
    }
    assert sum(map(len, files.values())) < 3_000_000


def test_two_builds_are_the_same_bytes(course, tmp_path):
    first = published(course, PLACE)
    for path in (course.root / "release").rglob("*"):
        path.touch()
    assert bundle.bundle(course) == first


def test_check_is_quiet_until_something_changes(course, tmp_path):
    files, to = published(course), tmp_path / "bundle"
    bundle.write(files, to)
    assert bundle.differences(files, to) == []
    assert bundle.write(files, to) == []
    (to / "index.html").write_text("changed", encoding="utf-8")
    (to / "old.ipynb").write_text("{}", encoding="utf-8")
    assert bundle.differences(files, to) == ["index.html", "old.ipynb"]
    bundle.write(files, to)
    assert bundle.differences(files, to) == []


def test_the_command_says_what_it_wrote_and_what_is_stale(course, tmp_path, capsys):
    text.speak("en")
    published(course)
    to = course.root / "bundle"
    assert bundle.run(course, to, check_only=True) == 1
    assert "bundle/index.html: does not match the release" in capsys.readouterr().out
    assert bundle.run(course, to, check_only=False) == 0
    assert "publish.toml lacks repository, address" in capsys.readouterr().out
    assert bundle.run(course, to, check_only=True) == 0
    assert "bundle is current" in capsys.readouterr().out


def test_the_browser_site_beside_the_bundle_is_left_alone(course, tmp_path):
    files = published(course)
    bundle.write(files, tmp_path / "bundle")
    (tmp_path / "bundle" / "lite").mkdir()
    (tmp_path / "bundle" / "lite" / "x.js").write_text("x", encoding="utf-8")
    assert bundle.write(files, tmp_path / "bundle") == []
    assert (tmp_path / "bundle" / "lite" / "x.js").is_file()


def test_a_folder_with_other_files_is_not_overwritten(course, tmp_path):
    files = published(course)
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(Problem) as refused:
        bundle.write(files, tmp_path)
    assert refused.value.key == "publish.foreign"


def test_the_checksums_are_those_of_the_files(course):
    files = published(course)
    listed = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert listed == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }


def test_the_zip_holds_the_same_files(course):
    files = published(course)
    with zipfile.ZipFile(io.BytesIO(files[ZIP])) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert set(inside) == set(files) - {ZIP, "SHA256SUMS"}
    assert all(inside[name] == files[name] for name in inside if not name.endswith(".html"))


def test_a_page_out_of_the_zip_has_no_button_for_the_site_that_is_not_in_it(course):
    with zipfile.ZipFile(io.BytesIO(published(course, PLACE)[ZIP])) as archive:
        assert not [link for link in hrefs(archive.read("index.html")) if "lite/" in link]
    elsewhere = PLACE.replace('"lite/"', '"https://ada.github.io/lite/"')
    with zipfile.ZipFile(io.BytesIO(published(course, elsewhere)[ZIP])) as archive:
        assert [link for link in hrefs(archive.read("index.html")) if "/lite/notebooks/" in link]


def test_the_first_cell_learns_where_the_wheel_is(course):
    name = wheel.build(course.root).name
    lesson = bundle.path_of("zh", LESSON)
    with_address = json.loads(published(course, PLACE)[lesson])["cells"][1]["source"]
    only_github = json.loads(published(course, 'repository = "ada/llm"\nfolder = "out/"')[lesson])["cells"][
        1
    ]["source"]
    nowhere = json.loads(published(course)[lesson])["cells"][1]["source"]
    assert f'WHEEL = "https://ada.github.io/llm/{name}"  # ' in "".join(with_address)
    assert f'WHEEL = "https://raw.githubusercontent.com/ada/llm/main/out/{name}"' in "".join(only_github)
    assert "".join(nowhere) == FIRST_CELL


def test_a_lesson_that_is_not_released_is_named(course):
    course.released(LESSON, "en").unlink()
    with pytest.raises(Problem) as refused:
        published(course)
    assert refused.value.key == "release.absent"


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_the_page_has_one_button_for_each_platform_and_lesson(course, language):
    built(course, text.LANGUAGES)
    page = published(course, PLACE)[bundle.start(language)]
    path = f"{language}/{LESSON}/{LESSON}.ipynb"
    assert hrefs(page)[1:] == [
        f"lite/notebooks/index.html?path={path}",
        f"https://colab.research.google.com/github/ada/llm/blob/gh-pages/{path}",
        f"https://kaggle.com/kernels/welcome?src=https://github.com/ada/llm/blob/gh-pages/{path}",
        f"https://studiolab.sagemaker.aws/import/github/ada/llm/blob/gh-pages/{path}",
        path,
        f"https://nbviewer.org/github/ada/llm/blob/gh-pages/{path}",
        "AGENTS.md",
        ZIP,
        wheel.build(course.root).name,
        "SHA256SUMS",
    ]
    assert f"wget -q https://ada.github.io/llm/{ZIP}".encode() in page


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_without_settings_every_link_is_relative_and_no_teacher_s_note_is_on_the_page(course, language):
    files = published(course)
    page = files[bundle.start(language)]
    for link in hrefs(page):
        assert link in files
    assert b"publish" not in page
    assert b'class="button' not in page


def test_lessons_stand_in_the_order_in_which_they_are_taught(course):
    halves = [
        json.loads(path.read_text(encoding="utf-8")) | {"name": path.stem} for path in HALVES.glob("*.json")
    ]
    taught = [half["name"] for half in sorted(halves, key=lambda half: half["number"])]
    for language in text.LANGUAGES:
        for name in ("another", *reversed(taught)):
            for kind in ("source", "release"):
                notebook = notebooks.load(course.released(LESSON, language))
                notebooks.save(notebook, course.root / kind / language / name / f"{name}.ipynb")
    assert len(taught) > 1
    assert course.lessons() == [*taught, "another", LESSON]


def test_titles_are_text_not_html(course):
    assert b"&lt;more&gt;" in published(course)["index.en.html"]


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ("repository = ", "publish.bad_toml"),
        ('repository = "llm"', "publish.bad_repository"),
        ('repository = "https://github.com/ada/llm"', "publish.bad_repository"),
        ('address = "ada.github.io"', "publish.bad_address"),
        ('browser = "https://ada.github.io/lite"', "publish.bad_address"),
        ('repo = "ada/llm"', "publish.unknown_setting"),
        ('repository = "ada/llm"\nbranch = ""', "publish.no_branch"),
    ],
)
def test_a_wrong_setting_is_named(course, settings, key):
    with pytest.raises(Problem) as refused:
        published(course, settings)
    assert refused.value.key == key


def test_a_path_with_other_letters_is_quoted():
    place = links.Place(repository="ada/llm", folder="课")
    assert place.open_in(links.FORMS[0], "zh/a b.ipynb").endswith("/blob/main/%E8%AF%BE/zh/a%20b.ipynb")


def test_the_committed_settings_can_be_read():
    assert links.place(ROOT).branch


def test_the_page_of_platforms_cites_every_form_and_every_fact():
    page = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    for form in links.FORMS:
        assert form.template in page
        assert form.source in page
    for facts in platforms.FACTS.values():
        assert facts.source in page
        assert facts.checked in page


def test_the_wheel_holds_helpers_and_nothing_else():
    built = wheel.build(ROOT)
    with zipfile.ZipFile(io.BytesIO(built.content)) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    assert {name.split("/")[0] for name in names} == {
        "helpers",
        built.name.removesuffix("-py3-none-any.whl") + ".dist-info",
    }
    assert "helpers/fonts/NotoSansSC-common.otf" in names
    assert any(name.startswith("helpers/recorded/") and name.endswith(".csv") for name in names)
    assert {f"helpers/text/{language}.json" for language in text.LANGUAGES} <= set(names)
    assert {f"helpers/lessons/{lesson}.json" for lesson in CourseFolder(ROOT).lessons()} <= set(names)
    assert not any("__pycache__" in name for name in names)
    assert not re.search(r"Requires-Dist: (torch|numpy|transformers|nbgrader)", metadata)


def test_pip_takes_the_wheel_and_the_record_is_right(tmp_path):
    built = wheel.build(ROOT)
    (tmp_path / built.name).write_bytes(built.content)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(tmp_path / "to"),
    ]
    done = subprocess.run([*command, str(tmp_path / built.name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / built.name) as archive:
        record = next(name for name in archive.namelist() if name.endswith("RECORD"))
        assert len(archive.read(record).decode().splitlines()) == len(archive.namelist())
    assert (tmp_path / "to" / "helpers" / "platforms.py").is_file()


def test_colab_s_ai_is_off_in_the_bundle_and_the_page_says_how_to_turn_it_on(course):
    files = published(course)
    for language in text.LANGUAGES:
        metadata = json.loads(files[bundle.path_of(language, LESSON)])["metadata"]
        assert metadata["colab"]["generative_ai_disabled"] is True
        assert "Notebook settings" in files[bundle.start(language)].decode()


def test_the_page_for_assistants_is_a_tutor_s_in_both_languages(course):
    said = published(course)["AGENTS.md"].decode("utf-8")
    assert "不写 TODO 的答案" in said
    assert "Never write a TODO's answer" in said
    assert "def " not in said
