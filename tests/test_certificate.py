"""A certificate says what was graded, bears a name only if asked, and is refused once it was changed."""

import json
import re
import shutil
import stat
import subprocess

import pytest
import small

from course import cli
from course.authoring import release
from course.grading import grade
from course.lesson import notebooks
from course.reporting import certificate, signing
from course.reporting.certificate import IssueOptions
from course.reporting.signing import SigningKey
from course.text import Problem
from helpers import text

pytest.importorskip("cryptography")
RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'
HALF = 'def double(number):\n    return {"double_ms": 2 * number / 1000}'


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course in which ada has full points, bo half of them, and cy none."""
    made = small.course(tmp_path_factory.mktemp("course"))
    release.release(made, [small.LESSON])
    for student, language, answer in (("ada", "en", RIGHT), ("bo", "zh", HALF), ("cy", "zh", "")):
        released = notebooks.load(made.released(small.LESSON, language))
        small.hand_in(made, student, small.answered(released, answer))
    grade.grade(made, small.LESSON)
    with small.gradebook(made) as book:
        book.update_or_create_student("ada", first_name="Ada", last_name="Lovelace")
        book.update_or_create_student("bo", first_name="<b>Bo</b>", last_name="")
        book.update_or_create_student("cy", first_name="Cy", last_name="")
    return made


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    made = SigningKey(tmp_path_factory.mktemp("key") / "own" / signing.KEY)
    made.make()
    return made


@pytest.fixture
def page(course, key, tmp_path):
    """Ada's certificate."""
    options = IssueOptions(key, into=tmp_path / "pages")
    (path,) = certificate.issue(course, small.LESSON, ["ada"], options).pages
    return path


def test_a_key_is_for_its_owner_alone_and_made_once(key):
    assert stat.S_IMODE(key.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.path.parent.stat().st_mode) == 0o700
    before = key.path.read_bytes()
    with pytest.raises(Problem, match="is there already"), text.speaking("en"):
        key.make()
    assert key.path.read_bytes() == before


def test_a_key_in_a_repository_or_a_course_is_refused(course, tmp_path):
    (tmp_path / ".git").mkdir()
    for place in (tmp_path / "deep" / "down", course.root / "keys"):
        with pytest.raises(Problem, match="would travel with it"), text.speaking("en"):
            SigningKey(place / signing.KEY).make()
        assert not place.exists()


def test_a_key_that_others_can_read_signs_nothing(course, key, tmp_path):
    copied = SigningKey(tmp_path / signing.KEY)
    shutil.copy(key.path, copied.path)
    copied.path.chmod(0o640)
    with pytest.raises(Problem, match="chmod 600"), text.speaking("en"):
        certificate.issue(course, small.LESSON, [], IssueOptions(copied))


def test_a_certificate_says_what_the_gradebook_says(course, key, page):
    found = certificate.verify(page, key.public)
    assert (found.student, found.points, found.max_points) == ("ada", 2.0, 2.0)
    assert found.exercises == (("TODO 1 twice", 2.0, 2.0),)
    assert (found.title, found.language, found.name) == ("A small lesson", "en", "")
    shown = page.read_text(encoding="utf-8")
    assert "ada earned 2 of 2 points in this lesson." in shown
    assert "Lovelace" not in shown


def test_openssl_agrees_that_the_page_is_signed(key, page, tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("no openssl here")
    import base64

    content = page.read_bytes()
    mark = re.search(rb'name="signature" content="([^"]+)"', content)[1]
    (tmp_path / "message").write_bytes(content.replace(mark, b""))
    (tmp_path / "mark").write_bytes(base64.b64decode(mark))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key.public, "-rawin"]
    command += ["-in", tmp_path / "message", "-sigfile", tmp_path / "mark"]
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_names_are_written_on_request_and_as_text(course, key, tmp_path):
    options = IssueOptions(key, into=tmp_path, named=True)
    pages = {path.stem: path for path in certificate.issue(course, small.LESSON, [], options).pages}
    assert certificate.verify(pages["ada"], key.public).name == "Ada Lovelace"
    shown = pages["bo"].read_text(encoding="utf-8")
    assert "<b>Bo" not in shown
    assert "&lt;b&gt;Bo&lt;/b&gt;" in shown


def test_who_has_no_points_or_too_few_gets_none(course, key, tmp_path):
    done = certificate.issue(course, small.LESSON, [], IssueOptions(key, into=tmp_path / "a"))
    assert ([path.stem for path in done.pages], done.below) == (["ada", "bo"], ("cy",))
    done = certificate.issue(course, small.LESSON, [], IssueOptions(key, into=tmp_path / "b", least=2))
    assert ([path.stem for path in done.pages], done.below) == (["ada"], ("bo", "cy"))


def test_what_waits_for_a_person_is_not_certified(course, key, tmp_path):
    made = small.again(course, tmp_path / "again")
    with small.gradebook(made) as book:
        grade_ = book.find_grade("double-zero", small.LESSON, small.LESSON, "ada")
        grade_.needs_manual_grade = True
        book.db.commit()
    done = certificate.issue(made, small.LESSON, [], IssueOptions(key))
    assert done.waiting == ("ada",)
    assert [path.stem for path in done.pages] == ["bo"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 of 2 points", "3 of 3 points"),
        ('\\"points\\": 2.0', '\\"points\\": 3.0'),
        ("ada earned", "eve earned"),
        ("<h1>", "<h1 >"),
        ("</body>", "<p>with honours</p></body>"),
        ('content="default-src', 'content="signed default-src'),
    ],
)
def test_one_changed_character_is_refused(key, page, old, new):
    content = page.read_text(encoding="utf-8")
    old, new = (one if one in content else one.replace("\\", "") for one in (old, new))
    assert old in content
    page.write_text(content.replace(old, new, 1), encoding="utf-8")
    refused(page, key.public)


def refused(page, public):
    with (
        pytest.raises(Problem, match=r"was not signed with key .*, or was changed since"),
        text.speaking("en"),
    ):
        certificate.verify(page, public)


@pytest.mark.parametrize("content", [b"", b"<html></html>", b"\xff" * 99, b"x" * 1_000_001])
def test_what_was_never_signed_is_refused(key, tmp_path, content):
    (tmp_path / "page.html").write_bytes(content)
    refused(tmp_path / "page.html", key.public)


@pytest.mark.parametrize("mark", ["", "AAAA", "A" * 88, "A" * 87])
def test_another_mark_is_refused(key, page, mark):
    content = page.read_bytes()
    page.write_bytes(signing.SLOT.sub(b'<meta name="signature" content="' + mark.encode() + b'">', content))
    refused(page, key.public)


def test_a_page_that_another_key_signed_is_refused(course, key, page, tmp_path):
    other = SigningKey(tmp_path / "other" / signing.KEY)
    other.make()
    forged = signing.SLOT.sub(signing.EMPTY, page.read_bytes())
    page.write_bytes(signing.signed(forged, other.private_key()))
    assert certificate.verify(page, other.public).student == "ada"
    refused(page, key.public)


def test_two_marks_on_a_page_are_refused(key, page):
    content = page.read_bytes()
    mark = signing.SLOT.search(content)[0]
    page.write_bytes(content.replace(mark, mark + mark))
    refused(page, key.public)


def test_line_ends_may_change_on_the_way(key, page):
    page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    assert certificate.verify(page, key.public).student == "ada"


def test_a_signed_page_of_another_time_is_said(key, tmp_path):
    page = b'<meta name="signature" content=""><script type="application/json" id="certificate">{}</script>'
    (tmp_path / "page.html").write_bytes(signing.signed(page, key.private_key()))
    with pytest.raises(Problem, match="another version"), text.speaking("en"):
        certificate.verify(tmp_path / "page.html", key.public)


def run(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--language", "en", *words])
    return stop.value.code, "".join(capsys.readouterr())


def test_the_commands_go_the_whole_way(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    where = ["--course", str(course.root)]
    code, said = run(capsys, *where, "certify", small.LESSON)
    assert (code, said.count("\n")) == (2, 1)
    assert "course certify --make-key" in said
    assert run(capsys, "certify", "--make-key")[0] == 0
    code, said = run(capsys, *where, "certify", small.LESSON, "--into", str(tmp_path / "pages"))
    assert code == 0
    assert said.splitlines() == [
        "1 did not reach the points and got none: cy",
        f"2 signed, in {tmp_path / 'pages' / small.LESSON}",
    ]
    page = tmp_path / "pages" / small.LESSON / "ada.html"
    code, said = run(capsys, "verify", str(page))
    assert code == 0
    assert said.startswith("✓ ada: A small lesson, 2 of 2 points, issued on 20")
    page.write_text(page.read_text(encoding="utf-8").replace("2 of 2", "9 of 9"), encoding="utf-8")
    code, said = run(capsys, "verify", str(page))
    assert (code, said.count("\n")) == (2, 1)
    assert "or was changed since" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["certify"], "Which lesson?"),
        (["certify", "unknown"], "unknown"),
        (["certify", "tiny", "nobody"], "nobody"),
        (["certify", "tiny", "--key", "{tmp}/none.pem"], "There is no key"),
        (["certify", "tiny", "--key", "{tmp}/text.pem"], "is no Ed25519 key"),
        (["verify", "{tmp}/none.html"], "There is no file"),
        (["verify", "{tmp}/none.html", "--key", "{tmp}/none.pub"], "There is no public key"),
        (["verify", "{tmp}/none.html", "--key", "{tmp}/text.pem"], "is no Ed25519 key"),
        (["verify"], "FILE"),
    ],
)
def test_a_mistake_is_one_sentence(course, key, tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "iteration-budget").symlink_to(key.path.parent)
    (tmp_path / "text.pem").write_text("no key")
    (tmp_path / "text.pem").chmod(0o600)
    code, printed = run(capsys, "--course", str(course.root), *(word.format(tmp=tmp_path) for word in words))
    assert code == 2
    assert printed.startswith("✗ ")
    assert printed.count("\n") == 1
    assert said in printed


def test_the_page_s_data_is_what_stands_on_it(page):
    found = certificate.DATA.findall(page.read_bytes())
    assert len(found) == 1
    assert json.loads(found[0])["format"] == certificate.FORMAT
