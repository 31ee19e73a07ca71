"""Grading: the run, and what the examiner says in the student's language."""

from helpers.text import Phrase

PHRASES = {
    "grade.no_moment": Phrase(
        "看不懂时间 {got}；写法如 2026-11-29。", "{got} is no date; write it like 2026-11-29."
    ),
    "grade.no_sandbox": Phrase(
        "这台机器上没有沙箱（{reason}），学生的代码不能放心运行：请在 Linux 上安装 bubblewrap，"
        "或用 WSL2、容器、"
        "--cluster 在别的机器上评分；若你信任这些作业，请加上 --trust-submissions。",
        "There is no sandbox on this machine ({reason}), so students' code cannot be run safely: install "
        "bubblewrap on Linux, or grade under WSL2, in a container or with --cluster elsewhere; if you trust "
        "these submissions, add --trust-submissions.",
    ),
    "grade.trusted": Phrase(
        "注意：使用了 --trust-submissions，学生的代码以你的权限运行，没有隔离。",
        "Note: --trust-submissions was given: the students' code ran with your rights, unguarded.",
    ),
    "grade.running": Phrase(
        "{path} 里另一个 course grade 正在运行；等它结束再试。",
        "Another `course grade` is running in {path}; wait until it ends.",
    ),
    "grade.done_before": Phrase(
        "{count} 份没有变化，保留上次的成绩（--regrade 可重新评分）。",
        "{count} unchanged since they were graded and kept as they are (--regrade grades them anew).",
    ),
    "grade.interrupted": Phrase(
        "已中断；评完的成绩都已保存，再次运行 course grade {lesson} 会接着评。",
        "Stopped; what was graded is saved, and `course grade {lesson}` goes on from here.",
    ),
    "grade.too_large": Phrase(
        "✗ {student}：{lesson}.ipynb 太大，未评分；请清除输出后再交。",
        "✗ {student}: {lesson}.ipynb is too large; not graded. Clear its outputs and hand it in again.",
    ),
    "grade.nothing": Phrase(
        "{path} 里没有 {lesson} 的作业；请把每份作业放到 submitted/学号/{lesson}/{lesson}.ipynb。",
        "There is no submission of {lesson} in {path}; each belongs at submitted/ID/{lesson}/{lesson}.ipynb.",
    ),
    "grade.unknown_student": Phrase(
        "{student} 没有提交 {lesson}；请检查学号，或看看 submitted/ 里有谁。",
        "{student} has not submitted {lesson}; check the id, or see who is in submitted/.",
    ),
    "grade.reference": Phrase(
        "参考答案自己就没通过 {lesson} 的 {cell}（{error}），所以没有给任何人评分；请先用 `course "
        "doctor` 检查环境。",
        "The reference solution itself fails {cell} of {lesson} ({error}), so nobody was graded; look at "
        "`course doctor` first.",
    ),
    "grade.rate": Phrase("{rate:.0f} 份/分钟", "{rate:.0f} a minute"),
    "grade.note": Phrase("  {student}：{note}", "  {student}: {note}"),
    "grade.missing": Phrase(
        "✗ {student}：submitted/{student}/{lesson}/ 里没有 {lesson}.ipynb，未评分。",
        "✗ {student}: there is no {lesson}.ipynb in submitted/{student}/{lesson}/; not graded.",
    ),
    "grade.link": Phrase(
        "✗ {student}：{lesson}.ipynb 是指向别处的链接，未评分。",
        "✗ {student}: {lesson}.ipynb is a link to another file; not graded.",
    ),
    "grade.same_file": Phrase(
        "✗ {student}：{lesson}.ipynb 与 {detail} 的是同一个文件（硬链接），未评分。",
        "✗ {student}: {lesson}.ipynb is the very file of {detail} (a hard link); not graded.",
    ),
    "grade.failed": Phrase(
        "✗ {student}：未能评分（{detail}）。", "✗ {student}: could not be graded ({detail})."
    ),
    "grade.summary": Phrase(
        "{lesson}：{count} 份已评分，{refused} 份未能评分，{review} 份待人工复核；平均 "
        "{mean:.1f}/{max:.0f} 分，用时 {seconds:.0f} 秒。",
        "{lesson}: {count} graded, {refused} not gradable, {review} to review by hand; mean "
        "{mean:.1f} of {max:.0f} points, {seconds:.0f} s.",
    ),
    "examiner.cell_late": Phrase(
        "这个单元超过 {seconds:g} 秒，被中止了。", "This cell took more than {seconds:g} s and was stopped."
    ),
    "examiner.cell_died": Phrase(
        "运行这个单元时进程结束了；之后的单元在新进程里继续。",
        "The process ended while it ran this cell; the cells after it went on in a fresh one.",
    ),
    "examiner.cell_memory": Phrase(
        "这个单元用的内存超过上限，被中止了。", "This cell used more memory than it may and was stopped."
    ),
    "examiner.call_late": Phrase(
        "{seconds:g} 秒内没有结果，调用被中止。",
        "The call gave no result within {seconds:g} s and was stopped.",
    ),
    "examiner.call_died": Phrase("调用时进程结束了。", "The process ended during the call."),
    "examiner.call_memory": Phrase(
        "调用用的内存超过上限，被中止。", "The call used more memory than it may and was stopped."
    ),
    "examiner.time_used_up": Phrase(
        "这份作业的评分时间已用完。", "The time for grading this submission is used up."
    ),
    "examiner.not_defined": Phrase("没有定义 {name}。", "{name} is not defined."),
    "examiner.failed": Phrase("测试没有完成：{kind}。", "The test could not be completed: {kind}."),
    "examiner.cut": Phrase("\n[输出过长，已截断]\n", "\n[output cut: too long]\n"),
}
