"""What the examiner says, in both languages; becomes part of the catalog of `course`."""

from __future__ import annotations

from helpers.text import Catalog, Phrase

PHRASES_EXAMINER: dict[str, Phrase] = {
    "examiner.cell_late": Phrase("这个单元超过 {seconds:g} 秒，被中止了。", "This cell took more than {seconds:g} s and was stopped."),
    "examiner.cell_died": Phrase(
        "运行这个单元时进程结束了；之后的单元在新进程里继续。",
        "The process ended while it ran this cell; the cells after it went on in a fresh one.",
    ),
    "examiner.cell_memory": Phrase("这个单元用的内存超过上限，被中止了。", "This cell used more memory than it may and was stopped."),
    "examiner.call_late": Phrase("{seconds:g} 秒内没有结果，调用被中止。", "The call gave no result within {seconds:g} s and was stopped."),
    "examiner.call_died": Phrase("调用时进程结束了。", "The process ended during the call."),
    "examiner.call_memory": Phrase("调用用的内存超过上限，被中止。", "The call used more memory than it may and was stopped."),
    "examiner.time_used_up": Phrase("这份作业的评分时间已用完。", "The time for grading this submission is used up."),
    "examiner.not_defined": Phrase("没有定义 {name}。", "{name} is not defined."),
    "examiner.failed": Phrase("测试没有完成：{kind}。", "The test could not be completed: {kind}."),
    "examiner.cut": Phrase("\n[输出过长，已截断]\n", "\n[output cut: too long]\n"),
}

say = Catalog(PHRASES_EXAMINER).say
