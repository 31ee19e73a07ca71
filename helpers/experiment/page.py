"""The page of the registry, docs/experiments.md: what each experiment asks, and what may change in it."""

from __future__ import annotations

from helpers import workload

_FIELD_NAMES = {
    "model_id": ("模型", "model"),
    "model_revision": ("模型 revision", "model revision"),
    "dtype": ("精度", "dtype"),
    "batch_sizes": ("batch", "batch sizes"),
    "context_lengths": ("上下文 token", "context tokens"),
    "series": ("系列", "series"),
    "warmup": ("预热", "warm-ups"),
    "repeats": ("重复", "repeats"),
    "min_repeats": ("最少重复（时间用完时）", "least repeats (when time is up)"),
    "rounds": ("轮数（样本均分到各轮）", "rounds (the repeats are shared among them)"),
    "seed": ("随机种子", "seed"),
    "time_budget_s": ("时间预算 s", "time budget s"),
    "max_shape_tokens": ("形状的 token 上限", "most tokens of a shape"),
    "semantic_id": ("语义", "semantic id"),
}

_PROOF = (
    "",
    "## 结果能证明什么 · What a result proves",
    "",
    "每份结果保留全部原始样本；中位数、P95 和吞吐在读取时由样本算出，写入的数与样本不符就拒绝。"
    "`content_sha256` 能发现改动，却挡不住伪造：照着检查逐条编造的文件可以通过全部检查。"
    "因此评分还会找出两份结果里相同的样本，并把可疑的配对交给教师判断。",
    "",
    "A result keeps every raw sample; medians, P95 and throughput are computed from them on reading, and a "
    "file whose written figures disagree is refused. `content_sha256` notices changes but stops no forger: a "
    "file made up with all checks in mind passes them all. Grading therefore also looks for samples that two "
    "results share, and leaves suspicious pairs to the instructor.",
)


def page() -> str:
    """docs/experiments.md: every registered experiment, and what may change without a new version."""
    head = [
        "<!-- made by `python -m helpers.experiment page`; change helpers/workload.py instead -->",
        "# 实验登记表 · Registered experiments",
        "",
        "改动“固定”的字段就是另一个实验，必须换 version；“可变”的字段照实记录，不换 version。"
        "模型、精度、版本或协议不同的结果不会合并。",
        "",
        "Changing a fixed field makes another experiment and needs another version; a free field is recorded "
        "as it was. Results of different models, precisions, versions or protocols are not merged.",
    ]
    return (
        "\n".join([*head, *(line for e in workload.EXPERIMENTS.values() for line in _section(e)), *_PROOF])
        + "\n"
    )


def _section(experiment: workload.Experiment) -> list[str]:
    protocol = experiment.workload
    lines = [
        "",
        f"## `{experiment.id}` {protocol.version}",
        "",
        f"{experiment.title.zh} · {experiment.title.en}",
        "",
        f"- {experiment.question.zh}",
        f"- {experiment.question.en}",
        "",
        f"Profile `{experiment.profile_id}` · weights: {experiment.weights} · {len(protocol.shapes)} shapes",
        "",
        "| 字段 · field | 值 · value | |",
        "|---|---|---|",
    ]
    for name, (zh, en) in _FIELD_NAMES.items():
        kind = "可变 · free" if name in experiment.free else "固定 · fixed"
        lines.append(f"| {zh} · {en} | {_shown(getattr(protocol, name))} | {kind} |")
    return lines


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
