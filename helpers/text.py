"""Every message a student sees, in both languages; the bottom of the import graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Phrase:
    """One message in both languages; `{name}` marks a value to fill in."""

    zh: str
    en: str

    def in_language(self, language: Language, /, **values: object) -> str:
        template = self.zh if language == "zh" else self.en
        return template.format(**values) if values else template


class _Voice:
    """The language that messages and plots use; a notebook sets it once, in the cell tagged `language`."""

    language: Language = "zh"


def speak(language: Language) -> None:
    """Set the language of messages and plots to "zh" or "en"; anything else raises ValueError."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    _Voice.language = language


def spoken() -> Language:
    """The language set by `speak`; "zh" until then."""
    return _Voice.language


@dataclass(frozen=True)
class Catalog:
    """Phrases by key. `helpers` has one below, `course` has its own for instructors."""

    phrases: Mapping[str, Phrase]

    def say(self, key: str, /, **values: object) -> str:
        """The phrase in the language spoken; an unknown key raises KeyError."""
        return self.phrases[key].in_language(spoken(), **values)

    def both(self, key: str, /, **values: object) -> str:
        """Chinese and English in one line, for whoever has not chosen a language yet."""
        phrase = self.phrases[key]
        return f"{phrase.zh.format(**values)} · {phrase.en.format(**values)}"

    def __contains__(self, key: str) -> bool:
        return key in self.phrases


PHRASES: dict[str, Phrase] = {
    # checks: what was expected, what came
    "check.passed": Phrase("✓ {concept}", "✓ {concept}"),
    "check.expected": Phrase(
        "{what}：应为 {expected}，得到 {got}。",
        "{what}: expected {expected}, got {got}.",
    ),
    "check.idea": Phrase("这正是“{idea}”会得到的结果。", "This is what you get when {idea}."),
    "check.not_a_dict": Phrase(
        "函数应返回字典，得到 {got}。",
        "The function must return a dictionary, got {got}.",
    ),
    "check.missing_key": Phrase(
        "返回的字典里没有键 '{key}'，现有：{keys}。",
        "The returned dictionary has no key '{key}'; it has: {keys}.",
    ),
    "check.did_not_raise": Phrase(
        "{case} 时应抛出 {error}，却返回了 {got}。",
        "{case} must raise {error}, but returned {got}.",
    ),
    "check.raised_other": Phrase(
        "{case} 时应抛出 {error}，却抛出了 {got}。",
        "{case} must raise {error}, but raised {got}.",
    ),
    "check.refused_good": Phrase(
        "合法输入也被拒绝了：{got}。",
        "Valid input was refused too: {got}.",
    ),
    "check.changed_input": Phrase(
        "函数改动了传入的数据；请先复制再排序或修改。",
        "The function changed the data it was given; copy before you sort or modify.",
    ),
    # hardware, models
    "hardware.unknown": Phrase(
        "没有设备 {name} 的数据；现有：{known}。",
        "There are no figures for a device {name}; known: {known}.",
    ),
    "models.unknown": Phrase(
        "没有模型 {name} 的数据；现有：{known}。",
        "There are no figures for a model {name}; known: {known}.",
    ),
    # recorded
    "recorded.unknown": Phrase(
        "没有名为 {name} 的实测数据；现有：{known}。",
        "There is no recorded measurement named {name}; known: {known}.",
    ),
    # experiment and its results
    "workload.positive": Phrase("{name} 必须为正整数，得到 {got}。", "{name} must be positive, got {got}."),
    "workload.distinct": Phrase(
        "{name} 至少要有一个值且不得重复，得到 {got}。",
        "{name} must hold at least one value and none twice, got {got}.",
    ),
    "workload.at_least": Phrase(
        "{name} 必须是不小于 {low} 的整数，得到 {got}。",
        "{name} must be an integer >= {low}, got {got}.",
    ),
    "workload.one_of": Phrase(
        "{name} 只能是 {choices} 之一，得到 {got}。",
        "{name} must be one of {choices}, got {got}.",
    ),
    "workload.unknown": Phrase(
        "没有登记过实验 {got}；已登记：{known}。",
        "No experiment {got} is registered; there are: {known}.",
    ),
    "workload.needs_version": Phrase(
        "{name} 从 {was} 改成 {now} 就是另一个实验：请同时换一个 version（现在是 {version}）。",
        "With {name} changed from {was} to {now} it is another experiment: give it another version "
        "(now {version}).",
    ),
    "result.not_found": Phrase("找不到结果文件 {path}。", "There is no result file {path}."),
    "result.unreadable": Phrase("无法读取 {path}：{reason}。", "{path} cannot be read: {reason}."),
    "result.empty": Phrase("{path} 是空文件。", "{path} is empty."),
    "result.too_large": Phrase(
        "{path} 超过 {megabytes} MB，不是本实验的结果。",
        "{path} is larger than {megabytes} MB and no result of this experiment.",
    ),
    "result.not_utf8": Phrase(
        "{path} 不是 UTF-8 文本，文件已损坏。", "{path} is damaged: it is not UTF-8 text."
    ),
    "result.truncated": Phrase(
        "{path} 不完整：内容在第 {line} 行第 {column} 列中断。",
        "{path} is truncated: it ends at line {line}, column {column}.",
    ),
    "result.damaged": Phrase(
        "{path} 已损坏：第 {line} 行第 {column} 列不是合法的 JSON。",
        "{path} is damaged: no valid JSON at line {line}, column {column}.",
    ),
    "result.bad_json": Phrase("{path} 已损坏：{reason}。", "{path} is damaged: {reason}."),
    "result.foreign": Phrase(
        "{path} 不是实验结果：应为 JSON 对象，得到 {got}。",
        "{path} is no result of an experiment: expected a JSON object, got {got}.",
    ),
    "result.schema": Phrase(
        "{path} 不是本实验的结果：schema_version 应为 {want}，得到 {got}。",
        "{path} is no result of this experiment: schema_version must be {want}, got {got}.",
    ),
    "result.field": Phrase(
        "{path} 不可用：{field} 不合规则（{rule}），得到 {got}。",
        "{path} is refused: {field} breaks a rule ({rule}), got {got}.",
    ),
    "result.rule": Phrase("{path} 不可用：{field}，{rule}。", "{path} is refused: {field}, {rule}."),
    "result.edited": Phrase(
        "{path} 在保存之后被改动过：内容与其 content_sha256 不符。",
        "{path} was changed after it was saved: its content does not match content_sha256.",
    ),
    "result.label": Phrase(
        "RUN_LABEL 只能由 1–64 个字母、数字、点、短横或下划线组成，并以字母或数字开头，得到 {got}。",
        "RUN_LABEL must be 1 to 64 letters, digits, dots, hyphens or underscores and start with a letter "
        "or digit, got {got}.",
    ),
    "result.exists": Phrase(
        "{path} 已有结果，不会覆盖：请换一个 RUN_LABEL。",
        "{path} holds an earlier result and is not overwritten: choose another RUN_LABEL.",
    ),
    "result.in_use": Phrase(
        "{path} 正由另一个进程写入：等它结束，或换一个 RUN_LABEL。",
        "{path} is being written by another process: wait for it, or choose another RUN_LABEL.",
    ),
    "result.not_comparable": Phrase(
        "两份结果不可比较：{field} 一边是 {a}，另一边是 {b}（还有 {others} 处不同{names}）。",
        "The two results cannot be compared: {field} is {a} in one and {b} in the other "
        "({others} more differ{names}).",
    ),
    "result.not_mergeable": Phrase(
        "这些结果不可合并：{field} 一边是 {a}，另一边是 {b}（还有 {others} 处不同{names}）。",
        "These results cannot be merged: {field} is {a} in one and {b} in the other "
        "({others} more differ{names}).",
    ),
    "result.vary": Phrase(
        "vary 只能列出必须一致的字段，得到 {got}；可用：{known}。",
        "vary must name fields that otherwise must agree, got {got}; there are: {known}.",
    ),
    "result.nothing_to_merge": Phrase("没有给出要合并的结果。", "There is no result to merge."),
    "result.shape_twice": Phrase(
        "形状 {shape} 在两份结果里各测了一次且不相同：合并会掩盖其中一次。",
        "Shape {shape} was measured in two of the results with different figures: merging would hide one.",
    ),
    "result.rule.missing": Phrase("缺少该字段", "it is missing"),
    "result.rule.extra_forbidden": Phrase("不认识的字段", "no such field is known"),
    "result.rule.int_type": Phrase("必须是整数", "it must be an integer"),
    "result.rule.float_type": Phrase("必须是数字", "it must be a number"),
    "result.rule.string_type": Phrase("必须是字符串", "it must be a string"),
    "result.rule.bool_type": Phrase("必须是 true 或 false", "it must be true or false"),
    "result.rule.tuple_type": Phrase("必须是列表", "it must be a list"),
    "result.rule.model_type": Phrase("必须是对象", "it must be an object"),
    "result.rule.finite_number": Phrase("必须是有限的数", "it must be finite"),
    "result.rule.greater_than": Phrase("必须 > {gt}", "it must be > {gt}"),
    "result.rule.greater_than_equal": Phrase("必须 >= {ge}", "it must be >= {ge}"),
    "result.rule.literal_error": Phrase("只能是 {expected}", "it must be {expected}"),
    "result.rule.string_too_short": Phrase("不得为空", "it must not be empty"),
    "result.needs_source": Phrase(
        "kind 不是 measured_end_to_end 时必须给出 source 与 licence",
        "source and licence must be given unless kind is measured_end_to_end",
    ),
    "result.cpu_is_no_gpu": Phrase(
        "device 为 cpu 时 gpu 与 cuda 必须为空：CPU 的结果不能充作 GPU 的",
        "gpu and cuda must be empty when device is cpu: a CPU result is no GPU result",
    ),
    "result.statistic": Phrase(
        "{name} 写的是 {written}，由样本算出的是 {computed}",
        "{name} says {written}, the samples give {computed}",
    ),
    "result.failed_needs_reason": Phrase(
        "status 为 failed 时 failure 必须写明原因", "failure must say why when status is failed"
    ),
    "result.failed_has_samples": Phrase(
        "失败的形状不得带样本或中位数", "a failed shape must have no samples and no medians"
    ),
    "result.ok_needs_figures": Phrase(
        "status 为 ok 的形状必须有样本或中位数", "a shape with status ok must have samples or a median"
    ),
    "result.ok_has_failure": Phrase(
        "status 为 ok 时 failure 必须为空", "failure must be empty when status is ok"
    ),
    "result.record_twice": Phrase(
        "每个形状只能有一条记录，{shape} 出现了两次", "each shape must have one record, {shape} has two"
    ),
    "result.record_stray": Phrase(
        "形状 {shape} 不在实验矩阵里", "shape {shape} is not part of the workload's matrix"
    ),
    "result.not_json_constant": Phrase("{got} 不是合法的 JSON 数值", "{got} is no number in JSON"),
    "result.double_key": Phrase("同一个对象里有重复的键", "a key stands twice in one object"),
    "timing.no_samples": Phrase(
        "samples_ms 至少要有一个样本。", "samples_ms must hold at least one sample, got none."
    ),
    "timing.device": Phrase(
        "device 只能是 cuda、mps 或 cpu，得到 {got}。", "device must be cuda, mps or cpu, got {got}."
    ),
    "timing.few": Phrase(
        "只有 {n} 个样本：P95 就是排序后的第 {rank} 个，它低于真实 P95 的概率是 "
        "{percent}；要 60 个以上才有把握。",
        "Only {n} samples: their P95 is the {rank}th in order, and lies below the true P95 with probability "
        "{percent}; it takes 60 or more to say.",
    ),
    "timing.wide": Phrase(
        "离散过大：中间一半样本横跨中位数的 {percent}（上限 10 %），不宜据此下结论。",
        "The spread is wide: the middle half of the samples spans {percent} of the median (limit 10 %); "
        "do not conclude from it.",
    ),
    "timing.drift": Phrase(
        "时间在漂移：后三分之一比前三分之一 {percent}。",
        "The times drift: the last third against the first {percent}.",
    ),
    "timing.launch": Phrase(
        "提交耗时是设备耗时的 {ratio} 倍：这一步的快慢由发射（launch）决定，不由设备决定。",
        "Submission takes {ratio} of the device's time: launches set the pace of this step, not the device.",
    ),
    # end of experiment and its results
}

CATALOG = Catalog(PHRASES)
say = CATALOG.say
both = CATALOG.both
