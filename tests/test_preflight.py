"""Preflight: every reason by name, with a way out, from facts of machines that are not here."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers import platforms, preflight, text, workload
from helpers.preflight import DeviceFacts, Need, Supply

VERSIONS = (("torch", "2.9.1+cu128"), ("transformers", "5.12.1"), ("accelerate", "1.1"), ("gguf", "0.19.0"))
T4 = DeviceFacts(
    device="cuda",
    available=True,
    name="Tesla T4",
    capability=(7, 5),
    architectures=("sm_75", "sm_80", "sm_90", "compute_90"),
    free_bytes=15_000_000_000,
    total_bytes=15_800_000_000,
    driver="550.54",
    cuda="12.8",
)
CPU = DeviceFacts(device="cpu", available=True, free_bytes=8_000_000_000)
NEED = Need(weight_bytes=1_192_000_000, smallest_shape_bytes=40_000_000, largest_shape_bytes=2_200_000_000)
HUB = Supply("hub", "huggingface.co", 50_000_000_000, VERSIONS)


@pytest.fixture(autouse=True)
def english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def checked(found=T4, supplied=HUB, asked="auto", profile="INF-CUDA-MECHANISM", need=NEED):
    return preflight.check(profile, found, need, supplied, asked)


def codes(verdict):
    return [finding.code for finding in verdict.findings]


def test_a_t4_with_weights_in_reach_is_ok():
    verdict = checked()
    assert (verdict.status, verdict.findings, verdict.reasons) == ("ok", (), ())
    assert "INF-CUDA-MECHANISM: status=ok (Tesla T4)" in str(verdict)


P100 = replace(
    T4, name="Tesla P100-PCIE-16GB", capability=(6, 0), kernel_error="no kernel image is available"
)
REASONS = {
    "wrong_device": {"found": CPU, "profile": "INF-CUDA-MECHANISM"},
    "no_cuda": {"found": replace(T4, available=False)},
    "torch_without_cuda": {"found": replace(T4, available=False, cuda=None)},
    "no_mps": {"found": DeviceFacts("mps", False), "profile": "INF-MPS-MECHANISM"},
    "no_kernels": {"found": P100},
    "driver": {"found": replace(T4, kernel_error="OutOfMemoryError: CUDA error: out of memory")},
    "kernel": {"found": replace(T4, kernel_error="an illegal memory access was encountered")},
    "bfloat16": {"asked": "bfloat16"},
    "memory": {"found": replace(T4, free_bytes=1_000_000_000)},
    "no_folder": {"supplied": replace(HUB, weights_from="no_folder", where="weights")},
    "no_weights": {"supplied": replace(HUB, weights_from="nowhere")},
    "disk": {"supplied": replace(HUB, disk_free_bytes=1_000_000_000)},
    "not_installed": {"supplied": replace(HUB, versions=(("torch", "2.9"), ("transformers", None)))},
    "too_old": {"supplied": replace(HUB, versions=(("torch", "2.9"), ("transformers", "4.46.3")))},
}
WARNINGS = {
    "busy": {"found": replace(T4, others=("4711, 3000 MiB",))},
    "memory_large": {"found": replace(T4, free_bytes=2_000_000_000)},
    "random_weights": {"supplied": replace(HUB, weights_from="random")},
    "busy_cpu": {"found": replace(CPU, load_per_core=0.9), "profile": "INF-CPU-MECHANISM"},
    "slow_dtype": {"found": CPU, "profile": "INF-CPU-MECHANISM", "asked": "float16"},
}


@pytest.mark.parametrize("code", REASONS)
def test_each_reason_stops_the_run_and_is_named_in_both_languages(code):
    verdict = checked(**REASONS[code])
    assert verdict.status == "failed"
    assert codes(verdict) == [code]
    english = verdict.reasons[0]
    text.speak("zh")
    assert verdict.reasons[0] != english
    assert "{" not in english + verdict.reasons[0]


@pytest.mark.parametrize("code", WARNINGS)
def test_each_warning_is_named_and_stops_nothing(code):
    verdict = checked(**WARNINGS[code])
    assert (verdict.status, codes(verdict)) == ("ok", [code])
    assert verdict.findings[0].text in str(verdict)


@pytest.mark.parametrize(
    ("code", "way_out"),
    [
        ("no_cuda", workload.without_gpu()),
        ("no_kernels", "sm_60"),
        ("bfloat16", "GPU_DTYPE = 'float16'"),
        ("no_weights", "HF_ENDPOINT"),
        ("no_weights", "modelscope.snapshot_download"),
        ("too_old", "pip install -U transformers"),
        ("not_installed", 'pip install "transformers>=4.57"'),
        ("disk", "HF_HOME"),
        ("driver", "newer than driver 550.54"),
    ],
)
def test_a_reason_says_the_way_out(code, way_out):
    assert way_out in checked(**REASONS[code]).reasons[0]


def test_several_reasons_are_all_named():
    verdict = checked(
        found=replace(T4, free_bytes=10), supplied=replace(HUB, weights_from="nowhere"), asked="bfloat16"
    )
    assert codes(verdict) == ["bfloat16", "memory", "no_weights"]


def test_the_package_with_weights_needs_accelerate_and_gguf():
    bare = Supply("package", "x.gguf", versions=(("torch", "2.9"), ("transformers", "5.0")))
    verdict = checked(found=CPU, profile="INF-CPU-MECHANISM", supplied=bare)
    assert codes(verdict) == ["not_installed", "not_installed"]
    assert "pip install accelerate" in verdict.reasons[0]


@pytest.mark.parametrize(
    ("found", "dtype"),
    [
        (T4, "float16"),
        (replace(T4, capability=(8, 0)), "bfloat16"),
        (replace(T4, capability=(9, 0)), "bfloat16"),
        (DeviceFacts("mps", True), "float16"),
        (CPU, "float32"),
    ],
)
def test_the_dtype_follows_the_compute_capability(found, dtype):
    assert preflight.dtype_for(found) == dtype
    assert preflight.dtype_for(found, "float32") == "float32"


@pytest.mark.parametrize(
    ("capability", "architectures", "held"),
    [
        ((7, 5), ("sm_75",), True),
        ((6, 0), ("sm_75", "sm_80"), False),
        ((8, 9), ("sm_86",), True),
        ((8, 0), ("sm_86",), False),
        ((12, 0), ("sm_90", "compute_90"), True),
        ((12, 0), ("sm_90",), False),
        ((9, 0), ("sm_90a",), True),
        ((7, 5), (), True),
    ],
)
def test_kernels_run_on_their_own_major_version_or_from_ptx(capability, architectures, held):
    assert preflight.has_kernels(replace(T4, capability=capability, architectures=architectures)) is held


# --- collecting --------------------------------------------------------------------------------------


class Cuda(SimpleNamespace):
    """A torch.cuda that answers like a P100 under a torch without kernels for it."""

    def is_available(self):
        return True

    def get_device_capability(self, index):
        return (6, 0)

    def mem_get_info(self, index):
        return (16_000_000_000, 17_000_000_000)

    def get_device_name(self, index):
        return "Tesla P100-PCIE-16GB"

    def get_arch_list(self):
        return ["sm_75", "sm_90"]

    def get_device_properties(self, index):
        return SimpleNamespace(uuid="GPU-a")


def broken_torch():
    def ones(*_, **__):
        raise RuntimeError("CUDA error: no kernel image is available for execution on the device\nmore")

    return SimpleNamespace(cuda=Cuda(), version=SimpleNamespace(cuda="12.8"), ones=ones)


def test_a_gpu_that_is_available_but_runs_no_kernel_is_caught():
    found = preflight.facts("cuda", broken_torch(), smi=lambda kind, fields: "")
    assert "no kernel image is available" in found.kernel_error
    assert "more" not in found.kernel_error
    verdict = checked(found=found)
    assert codes(verdict) == ["no_kernels"]
    assert "sm_75, sm_90" in verdict.reasons[0]


def test_the_drivers_answers_become_facts():
    answers = {
        "clocks.sm,clocks.mem": "1590 MHz, 5000 MHz",
        "driver_version": "550.54",
        "pid,used_memory,gpu_uuid": f"4711, 300 MiB, GPU-a\n{os.getpid()}, 2 MiB, GPU-a\n4712, 9 MiB, GPU-b",
    }
    found = preflight.facts("cuda", broken_torch(), smi=lambda kind, fields: answers[fields])
    assert (found.sm_clock_mhz, found.memory_clock_mhz, found.driver) == (1590.0, 5000.0, "550.54")
    assert (found.others, found.uuid) == (("4711, 300 MiB",), "GPU-a")  # not itself, not the other GPU


@pytest.mark.parametrize("answer", ["[N/A], [Not Supported]", "", "ERR!, 0 MHz"])
def test_what_the_driver_does_not_tell_is_not_made_up(answer):
    answers = {"clocks.sm,clocks.mem": answer, "driver_version": "[N/A]", "pid,used_memory,gpu_uuid": ""}
    found = preflight.facts("cuda", broken_torch(), smi=lambda kind, fields: answers[fields])
    assert (found.sm_clock_mhz, found.memory_clock_mhz, found.driver) == (None, None, None)


@pytest.mark.parametrize(
    ("visible", "uuid", "named"),
    [
        ("", "1234-ab", "GPU-1234-ab"),
        ("1", "GPU-1234-ab", "GPU-1234-ab"),
        ("3,1", "", "3"),
        ("GPU-77,GPU-88", "", "GPU-77"),
        ("MIG-5", "1234-ab", "MIG-5"),
        ("", "", "0"),
    ],
)
def test_the_driver_is_asked_about_the_device_that_torch_uses(visible, uuid, named):
    cuda = SimpleNamespace(get_device_properties=lambda index: SimpleNamespace(uuid=uuid))
    environ = {"CUDA_VISIBLE_DEVICES": visible}
    assert preflight.gpu_of(SimpleNamespace(cuda=cuda), environ) == named


def test_a_query_goes_on_while_the_device_works_and_names_its_gpu(tmp_path, monkeypatch):
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\necho "$@" > ' + str(tmp_path / "asked") + "\necho 1410 MHz, [N/A]\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asked = preflight.Asked("clocks.sm,temperature.gpu", "GPU-1")
    while not asked.has_answered:
        pass
    assert asked.numbers(2) == (1410.0, None)
    assert (tmp_path / "asked").read_text().startswith("-i GPU-1 --query-gpu=clocks.sm,temperature.gpu")


def test_a_query_without_a_driver_has_answered_nothing(monkeypatch):
    monkeypatch.setenv("PATH", "")
    asked = preflight.Asked("clocks.sm", "")
    assert (asked.has_answered, asked.numbers(1)) == (True, (None,))


def test_a_cpu_computes_the_probe_and_knows_its_memory():
    torch = pytest.importorskip("torch")
    found = preflight.facts("cpu", torch)
    assert found.kernel_error is None
    assert found.free_bytes is None or 0 < found.free_bytes <= found.total_bytes


def test_a_missing_nvidia_smi_says_nothing(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert preflight.nvidia_smi("gpu", "driver_version") == ""


def supply(model="Qwen/Qwen3-0.6B", weights="published", source=None, *, net=False, cache=None, gguf=None):
    return preflight.supply(
        model, weights, source, reach=lambda host: net, cached=lambda name: cache, packaged=lambda: gguf
    )


def test_weights_come_from_the_nearest_place(tmp_path):
    smol = "HuggingFaceTB/SmolLM2-135M-Instruct"
    (tmp_path / "config.json").write_text("{}")
    assert supply(weights="random").weights_from == "random"
    assert supply(source=str(tmp_path)).weights_from == "folder"
    assert supply(source=str(tmp_path / "none")).weights_from == "no_folder"
    assert supply(smol, gguf=Path("m.gguf"), cache=Path("c")).weights_from == "package"
    assert supply(gguf=Path("m.gguf"), cache=Path("c")).weights_from == "cache"
    assert supply(net=True).weights_from == "hub"
    assert supply().weights_from == "nowhere"


def test_a_mirror_is_asked_where_one_is_set(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example/hub")
    assert supply().where == "https://mirror.example/hub"


def test_an_unreachable_host_is_noticed_without_a_traceback():
    assert preflight.reachable("host.invalid", timeout_s=0.5) is False


# --- platforms ---------------------------------------------------------------------------------------


def test_cached_weights_are_found_where_the_hub_client_keeps_them(tmp_path):
    snapshot = tmp_path / "models--Qwen--Qwen3-0.6B" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    assert platforms.cached_weights("Qwen/Qwen3-0.6B", environ) is None
    (snapshot / "model.safetensors").write_bytes(b"")
    assert platforms.cached_weights("Qwen/Qwen3-0.6B", environ) == snapshot
