"""A result begun on one platform and finished on another is one complete result."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

import test_experiment as tiny  # noqa: E402

from helpers import experiment, handin, platforms, results  # noqa: E402
from helpers.experiment.device import runtime_for  # noqa: E402
from helpers.experiment.running import run_matrix  # noqa: E402

FILE = "test_default.jsonl"


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def on(tmp_path, monkeypatch):
    """Be on a platform: its folder for results, and a folder for notebooks to work in."""

    def enter(name, stays=True):
        work = tmp_path / name / "notebooks"
        work.mkdir(parents=True)
        monkeypatch.chdir(work)
        here = platforms.Platform(name, tmp_path / name / "kept" / "results", stays)
        monkeypatch.setattr(platforms, "detect", lambda: here)
        return here

    return enter


def measure(checked=tiny.CHECKED):
    """Run the tiny experiment where this platform keeps results."""
    chosen = experiment.Settings(workload=tiny.protocol(), run_mode="real_cpu", weights="random")
    return run_matrix(chosen, tiny.loaded(), runtime_for("cpu"), checked, progress=lambda line: None)


def killed(monkeypatch):
    """Run until the session ends in the middle of the second round, after six of its visits."""
    append = results.Journal.append

    def dying(self, entry):
        if entry["kind"] == "visit" and len([e for e in self.read() if e["kind"] == "visit"]) == 6:
            raise tiny.Death
        append(self, entry)

    with monkeypatch.context() as patch:
        patch.setattr(results.Journal, "append", dying)
        with pytest.raises(tiny.Death):
            measure()


def test_an_experiment_cut_off_on_one_platform_is_completed_on_another(on, monkeypatch, capsys):
    kaggle = on("kaggle")
    killed(monkeypatch)
    before = results.Journal(kaggle.results_folder / FILE).read()
    colab = on("colab")
    shutil.copy(kaggle.results_folder / FILE, ".")
    platforms.keep_results()
    assert FILE in capsys.readouterr().out
    report = measure()
    assert (report.status, report.sessions, len(report.records)) == ("completed", 2, 4)
    visits = [
        entry["visit"] for entry in results.Journal(colab.results_folder / FILE).read() if "visit" in entry
    ]
    assert visits[:6] == [entry["visit"] for entry in before if "visit" in entry]
    seen = [(one["batch"], one["context_tokens"], one["round"]) for one in visits]
    assert len(seen) == len(set(seen))  # nothing is measured twice
    path = results.save(report, results.path_for(colab.results_folder, "default", "inf-test"))
    (found,) = (file for file in handin.find_results([colab.results_folder]) if file.finished)
    assert (found.path, found.refused) == (path, "")


def test_another_kind_of_device_does_not_go_on_with_it(on, monkeypatch):
    kaggle = on("kaggle")
    killed(monkeypatch)
    on("local")
    shutil.copy(kaggle.results_folder / FILE, ".")
    platforms.keep_results()
    other = replace(tiny.CHECKED, facts=replace(tiny.CHECKED.facts, name="Another CPU"))
    with pytest.raises(results.ResultError) as refused:
        measure(other)
    assert refused.value.key == "experiment.other_run"
