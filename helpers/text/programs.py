"""The two programs of lesson 2: the matrix product in a queue, and the profiler."""

from helpers.text.phrase import Phrase

PHRASES = {
    "gemm.about": Phrase(
        "矩阵乘的三种计时边界，从小到大；随测随存，可断点续测。",
        "A matrix product at three boundaries of time, small to large; saved as it goes, and resumable.",
    ),
    "gemm.help.label": Phrase(
        "这次运行的名字；换一个名字就重新测。", "name of the run; another one measures anew"
    ),
    "gemm.help.results": Phrase("结果放在哪个文件夹", "folder for the results"),
    "gemm.help.rounds": Phrase("每个形状的样本数", "samples for each shape"),
    "gemm.help.warmup": Phrase("每个形状的预热次数", "warm-up calls for each shape"),
    "gemm.help.capacity": Phrase("只打印容量例子，不测", "print the capacity example only, measure nothing"),
    "gemm.seed": Phrase(
        "（容量一行是例子，数字照抄自 {source}。）",
        "(The capacity line is an example, quoted from {source}.)",
    ),
    "gemm.side": Phrase("{name} 必须是正整数，得到 {got}。", "{name} must be a positive integer, got {got}."),
    "gemm.no_shape": Phrase(
        "没有测过 {shape}；测过的有：{known}。", "{shape} was not measured; there are: {known}."
    ),
    "gemm.stray": Phrase("{path} 里的 {shape} 不属于这次运行。", "{shape} in {path} is no part of this run."),
    "gemm.device": Phrase(
        "device 必须是这台机器有的设备（{known}），得到 {got}。",
        "device must be one that this machine has ({known}), got {got}.",
    ),
    "gemm.wrong": Phrase(
        "{shape} 的结果与更高精度的参考相差 {got}，超出容差：先要正确，再谈快慢，没有计时。",
        "{shape} differs from a reference of higher precision by {got}, beyond the tolerance: not timed, "
        "since correctness comes before speed.",
    ),
    "run.other_setting": Phrase(
        "{path} 是另一种条件下测的：{field} 当时是 {was}，现在是 {now}。请换一个 label。",
        "{path} was measured under other conditions: {field} was {was} and is {now}. Choose another label.",
    ),
    "gemm.moment.baseline": Phrase("之前", "before"),
    "gemm.moment.peak": Phrase(
        "临时 tensor 在时的峰值",
        "peak, with the temporary tensor",
    ),
    "gemm.moment.after": Phrase("删掉之后", "after it is deleted"),
    "profiler.about": Phrase(
        "一个请求的 trace：prefill、decode_step 各花多少时间，花在哪些算子上。",
        "The trace of one request: how long prefill and decode_step take, and in which operators.",
    ),
    "profiler.help.label": Phrase(
        "这次运行的名字；换一个名字就重新跑。", "name of the run; another one traces anew"
    ),
    "profiler.help.cost": Phrase(
        "另外测一次 profiler 自己的开销", "also measure what profiling itself costs"
    ),
    "profiler.foreign": Phrase(
        "{path} 不是本课程写的 trace：schema_version 应为 {want}，得到 {got}。",
        "{path} is no trace of this course: schema_version must be {want}, got {got}.",
    ),
    "profiler.no_ranges": Phrase("{path} 里没有区间 {names}。", "{path} holds none of the ranges {names}."),
}
