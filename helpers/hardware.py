"""Devices with the peak rates that their vendor publishes, each row with its source.

Units are SI: 1 GB = 10^9 bytes, 1 TFLOPS = 10^12 floating-point operations a second. Rates are dense: where a
data sheet prints the figure for 2:4 sparsity, half of it stands here. The figures were read as other public
texts quote them from the document named in `source`; a `note` says where documents differ or say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from helpers import text

ComputeKind = Literal[
    "float16, no tensor cores",
    "float16 tensor cores",
    "float16 tensor cores, float32 accumulate",
    "float16 or bfloat16 tensor cores",
]


@dataclass(frozen=True)
class Device:
    """One accelerator: memory in bytes, peak bandwidth in GB/s, dense 16-bit peak compute in TFLOPS."""

    name: str
    memory_bytes: int
    bandwidth_gbps: float
    compute_tflops: float
    compute_kind: ComputeKind
    compute_capability: float
    source: str
    note: str = ""
    also_called: tuple[str, ...] = ()

    @property
    def ridge_flops_per_byte(self) -> float:
        """FLOP per byte at which peak compute and peak bandwidth take equally long."""
        return self.compute_tflops * 1e12 / (self.bandwidth_gbps * 1e9)


DEVICES: dict[str, Device] = {
    "P100": Device(
        name="Tesla P100-PCIE-16GB",
        memory_bytes=16_000_000_000,
        bandwidth_gbps=732,
        compute_tflops=18.7,
        compute_kind="float16, no tensor cores",
        compute_capability=6.0,
        source="NVIDIA Tesla P100 PCIe data sheet, images.nvidia.com/content/tesla/pdf/"
        "nvidia-tesla-p100-PCIe-datasheet.pdf",
        note="No bfloat16; wheels of torch for CUDA 12.8 and later have no kernels for it. "
        "At its launch 720 GB/s was announced.",
        also_called=("Tesla P100",),
    ),
    "T4": Device(
        name="Tesla T4",
        memory_bytes=16_000_000_000,
        bandwidth_gbps=320,
        compute_tflops=65,
        compute_kind="float16 tensor cores",
        compute_capability=7.5,
        source="NVIDIA T4 data sheet, www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/tesla-t4/"
        "t4-tensor-core-datasheet-951643.pdf",
        note="No bfloat16 in hardware. That data sheet rounds the bandwidth to 300 GB/s; the memory clock "
        "that the device reports gives 5,001 MHz x 2 x 256 bit = 320 GB/s.",
    ),
    "RTX 3080": Device(
        name="GeForce RTX 3080 10GB",
        memory_bytes=10_000_000_000,
        bandwidth_gbps=760,
        compute_tflops=59.5,
        compute_kind="float16 tensor cores, float32 accumulate",
        compute_capability=8.6,
        source="NVIDIA Ampere GA102 GPU Architecture, whitepaper v2.1, www.nvidia.com/content/PDF/"
        "nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.1.pdf",
        note="Twice that rate if sums are kept in float16.",
        also_called=("GeForce RTX 3080",),
    ),
    "A10": Device(
        name="NVIDIA A10",
        memory_bytes=24_000_000_000,
        bandwidth_gbps=600,
        compute_tflops=125,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=8.6,
        source="NVIDIA A10 data sheet, www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a10/pdf/"
        "a10-datasheet.pdf",
        note="The A10G of some clouds is another card: same memory, about half the tensor rate.",
    ),
    "L4": Device(
        name="NVIDIA L4",
        memory_bytes=24_000_000_000,
        bandwidth_gbps=300,
        compute_tflops=121,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=8.9,
        source="NVIDIA L4 product page, www.nvidia.com/en-us/data-center/l4",
        note="The page prints 242 TFLOPS with sparsity; half of it stands here.",
    ),
    "RTX 4090": Device(
        name="GeForce RTX 4090",
        memory_bytes=24_000_000_000,
        bandwidth_gbps=1008,
        compute_tflops=165.2,
        compute_kind="float16 tensor cores, float32 accumulate",
        compute_capability=8.9,
        source="NVIDIA Ada GPU Architecture, whitepaper v2.1, appendix A, table 2, images.nvidia.com/aem-dam/"
        "Solutions/geforce/ada/nvidia-ada-gpu-architecture.pdf",
        note="Twice that rate if sums are kept in float16. Sold as 24 GB; the driver reports "
        "25,250,627,584 bytes.",
    ),
    "L40S": Device(
        name="NVIDIA L40S",
        memory_bytes=48_000_000_000,
        bandwidth_gbps=864,
        compute_tflops=362,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=8.9,
        source="NVIDIA L40S product page, www.nvidia.com/en-us/data-center/l40s",
        note="The page prints 362.05 dense and 733 with sparsity.",
    ),
    "A100 40GB": Device(
        name="A100-SXM4-40GB",
        memory_bytes=40_000_000_000,
        bandwidth_gbps=1555,
        compute_tflops=312,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=8.0,
        source="NVIDIA A100 data sheet, www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
        "nvidia-a100-datasheet.pdf",
    ),
    "A100": Device(
        name="A100-SXM4-80GB",
        memory_bytes=80_000_000_000,
        bandwidth_gbps=2039,
        compute_tflops=312,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=8.0,
        source="NVIDIA A100 data sheet, www.nvidia.com/content/dam/en-zz/Solutions/Data-Center/a100/pdf/"
        "nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
        note="The PCIe card of 80 GB has 1,935 GB/s.",
        also_called=("A100 80GB", "A100 SXM"),
    ),
    "H100": Device(
        name="H100 SXM",
        memory_bytes=80_000_000_000,
        bandwidth_gbps=3350,
        compute_tflops=989,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=9.0,
        source="NVIDIA H100 product page, www.nvidia.com/en-us/data-center/h100",
        note="The page prints 1,979 TFLOPS with sparsity; half of it stands here.",
        also_called=("H100 80GB HBM3", "H100 SXM5"),
    ),
    "H200": Device(
        name="H200 SXM",
        memory_bytes=141_000_000_000,
        bandwidth_gbps=4800,
        compute_tflops=989,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=9.0,
        source="NVIDIA H200 product page, www.nvidia.com/en-us/data-center/h200",
        note="The page prints 1,979 TFLOPS with sparsity; half of it stands here.",
    ),
    "B200": Device(
        name="B200 SXM",
        memory_bytes=180_000_000_000,
        bandwidth_gbps=7700,
        compute_tflops=2250,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=10.0,
        source="NVIDIA HGX B200 data sheet (180 GB HBM3E, 7.7 TB/s)",
        note="The sheet prints 4.5 PFLOPS with sparsity; half of it stands here. 8,000 GB/s is the figure "
        "announced for the chip and printed for GB200.",
        also_called=("HGX B200",),
    ),
    "RTX PRO 6000": Device(
        name="RTX PRO 6000 Blackwell Server Edition",
        memory_bytes=96_000_000_000,
        bandwidth_gbps=1597,
        compute_tflops=467.8,
        compute_kind="float16 or bfloat16 tensor cores",
        compute_capability=12.0,
        source="Bandwidth: NVIDIA RTX PRO 6000 Blackwell Server Edition data sheet, December 2025. Compute: "
        "github.com/ai-dynamo/aiconfigurator, systems/rtx_pro_6000_server.yaml",
        note="The compute rate is not printed by a vendor document that we found: it is the Workstation "
        "Edition's 503.8 TFLOPS scaled to the Server Edition's 2,430 MHz. The Workstation Edition has "
        "1,792 GB/s.",
        also_called=("RTX PRO 6000 Server", "RTX PRO 6000 Blackwell Server"),
    ),
}


def get(name: str) -> Device:
    """The device by its short name ("T4"), full name or the name a driver reports ("NVIDIA H200").

    An unknown name raises ValueError, and so does a sibling with other figures ("H100 PCIe").
    """
    wanted = _plain(name) if isinstance(name, str) else None
    for short, device in DEVICES.items():
        if wanted in {_plain(known) for known in (short, device.name, *device.also_called)}:
            return device
    raise ValueError(text.say("hardware.unknown", name=repr(name), known=", ".join(DEVICES)))


def _plain(name: str) -> str:
    """Lower case, letters and digits only, without the vendor's and the product lines' names."""
    kept = "".join(letter for letter in name.casefold() if letter.isalnum())
    for prefix in ("nvidia", "geforce", "tesla"):
        kept = kept.removeprefix(prefix)
    return kept
