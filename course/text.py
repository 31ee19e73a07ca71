"""Every message an instructor sees, in both languages, and the choice between them."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping

from helpers.text import LANGUAGES, Catalog, Language, Phrase

LANGUAGE_VARIABLE = "COURSE_LANGUAGE"


class Problem(Exception):
    """Something the user can put right: one sentence with the way out, and never a traceback."""

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(say(key, **values))
        self.key = key


def chosen_language(option: str | None = None, environment: Mapping[str, str] = os.environ) -> Language:
    """The language of the command: `--language`, else COURSE_LANGUAGE, else the locale's (zh* is Chinese)."""
    wanted = option or environment.get(LANGUAGE_VARIABLE)
    if not wanted:
        return "zh" if _locale(environment).lower().startswith("zh") else "en"
    if wanted not in LANGUAGES:
        raise Problem("language.unknown", got=wanted)
    return wanted


def _locale(environment: Mapping[str, str]) -> str:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(variable):
            return environment[variable]
    return (locale.getlocale()[0] or "") if environment is os.environ else ""


PHRASES: dict[str, Phrase] = {
    # the command
    "cli.help": Phrase(
        """从母版到成绩的全部步骤。

        一门课的一轮：`course twins` 让英文版与中文母版一致 → `course release` 生成学生版 → 学生的作业放进
        `submitted/学号/单元/单元.ipynb` → `course grade 单元` 评分 → `course feedback 单元` 写反馈页 →
        `course report 单元` 看全班。

        第一次来？`course demo` 用一个示例班走完全程，不动你的数据；`course doctor` 检查缺什么。""",
        """Every step from master notebook to grades.

        One round of a course: `course twins` keeps the English edition in step with the Chinese master →
        `course release` makes what students get → their work goes to `submitted/ID/LESSON/LESSON.ipynb` →
        `course grade LESSON` → `course feedback LESSON` writes their pages → `course report LESSON` shows
        the class.

        New here? `course demo` goes the whole way with a sample class and leaves your data alone; `course
        doctor` tells what is missing.""",
    ),
    "cli.language": Phrase(
        "消息的语言；默认看 COURSE_LANGUAGE，再看系统语言。",
        "Language of the messages; else COURSE_LANGUAGE, else the locale's.",
    ),
    "cli.course": Phrase(
        "课程文件夹；默认是当前目录所在的那一个。", "The course folder; else the one you are in."
    ),
    "cli.student": Phrase("只处理这个学生；可重复。", "This student only; may be repeated."),
    "cli.twins.short": Phrase("让英文版与中文母版一致", "keep the English edition in step with the master"),
    "cli.twins.help": Phrase(
        """让英文版与中文母版一致：复制代码、顺序和元数据，保留译文。

        中文改了而译文没改时，会指出是哪一个单元；修订译文后用 `--translated 单元名` 登记。""",
        """Keep the English edition in step with the Chinese master: code, order and metadata are copied,
        text stays.

        Where the Chinese text changed after its translation, the cell is named; revise it, then say
        `--translated CELL`.""",
    ),
    "cli.twins.check": Phrase(
        "只检查，不写文件；有差别时退出码为 1。", "Write nothing; exit code 1 if they differ."
    ),
    "cli.twins.translated": Phrase(
        "登记：这个单元的译文已与现在的中文相符；可重复。",
        "This cell's text now translates its master; may be repeated.",
    ),
    "cli.release.short": Phrase("由母版生成学生版", "make what students get"),
    "cli.release.help": Phrase(
        """由母版生成两种语言的学生版（release/），登记到成绩册，并证明其中没有答案、隐藏测试和输出。

        不写单元名就处理全部单元。""",
        """Make the students' edition in both languages (release/), register its cells in the gradebook, and
        prove that no answer, hidden test or output is left in it.

        Without a lesson: all of them.""",
    ),
    "cli.release.check": Phrase(
        "只检查已提交的 release/ 是否与母版相符。",
        "Only check that the committed release/ matches its masters.",
    ),
    "cli.release.solutions": Phrase(
        "生成答案版（含答案与可见检查，不含隐藏测试），截止后发布。",
        "Make the solved edition (answers and visible checks, no hidden tests), for after the deadline.",
    ),
    "cli.release.to": Phrase(
        "答案版写到哪里；默认 solutions/。", "Where the solved edition goes; else solutions/."
    ),
    "cli.grade.short": Phrase("给提交的作业评分", "grade what was submitted"),
    "cli.grade.help": Phrase(
        """给 `submitted/` 里的作业评分，写入成绩册和 `autograded/`。

        一份读不了的作业不影响其他人；手工分数保留；每次评分前备份成绩册。""",
        """Grade what lies in `submitted/`, into the gradebook and `autograded/`.

        One submission that cannot be read never stops the others; manual scores stay; the gradebook is copied
        before each run.""",
    ),
    "cli.grade.trust": Phrase(
        "我信任这些作业：没有沙箱也在本机运行它们的代码。",
        "I trust these submissions: run their code on this machine without a sandbox.",
    ),
    "cli.grade.regrade": Phrase("没有变化的作业也重新评分。", "Grade unchanged submissions anew, too."),
    "cli.grade.since": Phrase(
        "只评这一时刻之后改过的作业，如 2026-11-29 或 2026-11-29T18:00。",
        "Only submissions changed since then, such as 2026-11-29 or 2026-11-29T18:00.",
    ),
    "cli.grade.workers": Phrase(
        "并行的进程数；默认为处理器数。", "Workers side by side; as many as processors by default."
    ),
    "cli.grade.cluster": Phrase("在这个 Dask 集群上评分。", "Grade on this Dask cluster."),
    "cli.grade.gradebook": Phrase(
        "成绩册的数据库，如 postgresql+psycopg://…；默认为 gradebook.db。",
        "The gradebook's database, such as postgresql+psycopg://...; gradebook.db by default.",
    ),
    "cli.grade.cell_seconds": Phrase("一个单元最多运行几秒。", "Seconds that one cell may take."),
    "cli.grade.call_seconds": Phrase("测试的一次调用最多几秒。", "Seconds that one call by a test may take."),
    "cli.grade.every_cell": Phrase(
        "连学生没有动过、评分也用不到的单元一起运行（画出全部图，慢得多）。",
        "Run the cells that students left alone and no mark depends on, too (much slower).",
    ),
    "cli.collect.short": Phrase("收作业：文件夹、压缩包或单个文件", "take in what students hand in"),
    "cli.collect.help": Phrase(
        """把学生交来的东西放进 `submitted/`：一个文件夹、Moodle 或 Canvas 的压缩包，或一份文件。

        认出改了名的 notebook；不跟随链接；两份不同的 notebook 只报告，不替你选；时间由本机记录。""",
        """Take what students hand in into `submitted/`: a folder, a zip from Moodle or Canvas, or one file.

        Recognises a renamed notebook; follows no link; reports two different notebooks instead of
        choosing; stamps the time itself.""",
    ),
    "cli.collect.student": Phrase("这些都是这个学生的。", "All of it is this student's."),
    "grade.no_moment": Phrase(
        "看不懂时间 {got}；写法如 2026-11-29。", "{got} is no date; write it like 2026-11-29."
    ),
    "cli.feedback.short": Phrase("写每个学生的反馈页", "write each student's page"),
    "cli.feedback.help": Phrase(
        """为每个评过分的学生写一页反馈，用他或她的 notebook 的语言：每个概念的得分，检查说了什么，错误想法叫
        什么。

        页面在 `feedback/学号/单元/单元.html`，不含隐藏测试。""",
        """Write one page for each graded student, in the language of the student's notebook: the points of
        each concept, what the check said, and the name of the wrong idea.

        The pages are `feedback/ID/LESSON/LESSON.html`; no hidden test stands in them.""",
    ),
    "cli.report.short": Phrase("看全班的成绩和错误想法", "look at the class: scores and wrong ideas"),
    "cli.report.help": Phrase(
        """全班一览：每个学生、每个概念的得分，各概念的失败率，出现了哪些错误想法，哪些作业过于相似。""",
        """The class at a glance: points by student and concept, failure rates, which wrong ideas occur how
        often, and which submissions look too much alike.""",
    ),
    "cli.report.html": Phrase("网页写到哪里。", "Where the page goes."),
    "cli.report.csv": Phrase("另存一份 CSV。", "Also write a CSV file."),
    "cli.demo.short": Phrase("用示例班走完全程", "the whole way with a sample class"),
    "cli.demo.help": Phrase(
        """在一个新文件夹里走完全程：发布、评分、反馈、全班报告、图；最后列出得分和该打开的页面。可以反复运
        行。""",
        """Go the whole way in a folder of its own: release, grade, feedback, report, plots; ends with a
        table of scores and the pages to open. Safe to repeat.""",
    ),
    "cli.demo.to": Phrase("演示文件夹；默认 demo/。", "The demo's folder; else demo/."),
    "cli.doctor.short": Phrase("检查装了什么、缺什么", "what is installed, what is missing"),
    "cli.doctor.help": Phrase(
        "检查装了什么、缺什么，以及怎样补上。", "What is installed, what is missing, and how to get it."
    ),
    "cli.no_such_option": Phrase(
        "没有选项 {option}；`course --help` 列出全部命令，`course 命令 --help` 列出选项。",
        "There is no option {option}; `course --help` lists the commands, `course COMMAND --help` "
        "their options.",
    ),
    "cli.missing": Phrase(
        "还缺 {name}；`course 命令 --help` 说明怎样写。",
        "{name} is missing; `course COMMAND --help` tells how to write it.",
    ),
    "cli.usage": Phrase(
        "命令不对（{message}）；`course --help` 列出全部命令。",
        "{message}; `course --help` lists the commands.",
    ),
    "cli.no_package": Phrase(
        "缺少 {name}；运行 pip install 'iteration-budget[grading]'，再用 `course doctor` 检查。",
        "{name} is not installed; run pip install 'iteration-budget[grading]', then see `course doctor`.",
    ),
    "cli.interrupted": Phrase("已中断。", "Interrupted."),
    "language.unknown": Phrase(
        "没有语言 {got}；请选 zh 或 en。There is no language {got}; choose zh or en.",
        "There is no language {got}; choose zh or en. 没有语言 {got}；请选 zh 或 en。",
    ),
    "folder.missing": Phrase(
        "文件夹 {path} 不存在；请检查 --course 的路径。",
        "There is no folder {path}; check the path given to --course.",
    ),
    "folder.no_course": Phrase(
        "{path} 不在课程文件夹里（那里应有 nbgrader_config.py 和 source/）；请进入课程文件夹，或"
        "用 --course 指定。",
        "{path} is not inside a course folder (one with nbgrader_config.py and source/); go "
        "there, or name it with --course.",
    ),
    "folder.unknown_lesson": Phrase(
        "没有课程单元 {name}；现有：{known}。", "There is no lesson {name}; there are: {known}."
    ),
    "folder.unreadable": Phrase(
        "{path} 不是可读的 notebook：{reason}。", "{path} is not a readable notebook: {reason}."
    ),
    # twins
    "twins.missing_notebook": Phrase(
        "{lesson}：缺少 {language} 版；运行 `course twins` 生成它。",
        "{lesson}: the {language} edition is missing; `course twins` makes it.",
    ),
    "twins.missing": Phrase(
        "{lesson} · {cell}：{language} 版里没有这个单元；运行 `course twins`，再翻译它。",
        "{lesson} · {cell}: missing in the {language} edition; run `course twins`, then translate it.",
    ),
    "twins.extra": Phrase(
        "{lesson} · {cell}：{language} 版多出这个单元；`course twins` 会删去它。",
        "{lesson} · {cell}: the {language} edition has this cell too many; `course twins` removes it.",
    ),
    "twins.order": Phrase(
        "{lesson} · {cell}：在 {language} 版里的位置不同；运行 `course twins`。",
        "{lesson} · {cell}: stands elsewhere in the {language} edition; run `course twins`.",
    ),
    "twins.code": Phrase(
        "{lesson} · {cell}：{language} 版的代码与中文版不同；请只改中文版，再运行 `course twins`。",
        "{lesson} · {cell}: its code differs in the {language} edition; change the Chinese master "
        "only, then run `course twins`.",
    ),
    "twins.metadata": Phrase(
        "{lesson} · {cell}：{language} 版的元数据与中文版不同；运行 `course twins`。",
        "{lesson} · {cell}: its metadata differs in the {language} edition; run `course twins`.",
    ),
    "twins.untranslated": Phrase(
        "{lesson} · {cell}：还没有译成 {language}；译好后运行 `course twins --translated {cell}`。",
        "{lesson} · {cell}: not translated to {language} yet; when it is, run `course twins "
        "--translated {cell}`.",
    ),
    "twins.stale": Phrase(
        "{lesson} · {cell}：翻译后中文又改过；请修订 {language} 版，再运行 `course twins "
        "--translated {cell}`。",
        "{lesson} · {cell}: the Chinese text changed after it was translated; revise the "
        "{language} text, then run `course twins --translated {cell}`.",
    ),
    "twins.unknown_cell": Phrase("没有名为 {cell} 的文本单元。", "There is no text cell named {cell}."),
    "twins.clean": Phrase(
        "✓ {lesson}：两种语言一致（{cells} 个单元）。", "✓ {lesson}: the two languages agree ({cells} cells)."
    ),
    "twins.updated": Phrase("✎ {path} 已更新。", "✎ {path} updated."),
    "twins.differ": Phrase("两种语言不一致：{count} 处。", "The two languages differ in {count} places."),
    # release
    "release.refused": Phrase("{path} 不能发布：{reason}", "{path} cannot be released: {reason}"),
    "release.leak": Phrase(
        "{lesson}（{language}）· {cell}：发布版里还留有答案或隐藏测试：{line}",
        "{lesson} ({language}) · {cell}: the release still holds a line of an answer or hidden test: {line}",
    ),
    "release.output": Phrase(
        "{lesson}（{language}）· {cell}：发布版里还留有输出。",
        "{lesson} ({language}) · {cell}: the release still holds an output.",
    ),
    "release.stale": Phrase(
        "{path}：已提交的发布版与母版不符（{cells}）；运行 `course release`。",
        "{path}: the committed release does not match its master ({cells}); run `course release`.",
    ),
    "release.absent": Phrase(
        "{path}：还没有发布版；运行 `course release`。", "{path}: not released yet; run `course release`."
    ),
    "release.orphan": Phrase("{path}：没有对应的母版；请删除。", "{path}: it has no master; delete it."),
    "release.fresh": Phrase("✓ {path}", "✓ {path}"),
    "release.written": Phrase("✎ {path}", "✎ {path}"),
    "release.whole_file": Phrase("整个文件", "the whole file"),
    "release.not_clean": Phrase("发布版有 {count} 个问题。", "The release has {count} problems."),
    "release.submissions": Phrase(
        "{lesson} 已有提交，测试单元的增减会使成绩作废；请先备份并移走 gradebook.db。",
        "{lesson} already has submissions, and adding or removing test cells would void their "
        "grades; back up gradebook.db and move it away first.",
    ),
    "release.solutions": Phrase(
        "答案版在 {path}，截止日期之后再发给学生；隐藏测试不在其中，明年还要用。",
        "The solved edition is in {path}: give it out after the deadline. Hidden tests are not in "
        "it, so next year's class can use them.",
    ),
    # grade
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
    # what was put right in a submission, or could not be
    "unreadable.empty": Phrase("文件是空的，记 0 分。", "the file is empty: 0 points."),
    "unreadable.not_json": Phrase(
        "文件不是 notebook（不是 JSON），记 0 分；请重新导出 .ipynb 再交。",
        "the file is no notebook (not JSON): 0 points; export the .ipynb again and hand it in.",
    ),
    "unreadable.not_notebook": Phrase(
        "文件是 JSON，但不是 notebook，记 0 分；请重新导出 .ipynb 再交。",
        "the file is JSON but no notebook: 0 points; export the .ipynb again and hand it in.",
    ),
    "unreadable.too_large": Phrase(
        "文件太大，记 0 分；请清除输出后再交。",
        "the file is too large: 0 points; clear its outputs and hand it in again.",
    ),
    "unreadable.pdf": Phrase(
        "文件是 PDF，不是 notebook，记 0 分；请交 .ipynb 文件。",
        "the file is a PDF, no notebook: 0 points; hand in the .ipynb file.",
    ),
    "unreadable.zip": Phrase(
        "文件是压缩包，不是 notebook，记 0 分；请交 .ipynb 文件。",
        "the file is a zip archive, no notebook: 0 points; hand in the .ipynb file.",
    ),
    "unreadable.office": Phrase(
        "文件是 Office 文档，不是 notebook，记 0 分；请交 .ipynb 文件。",
        "the file is an Office document, no notebook: 0 points; hand in the .ipynb file.",
    ),
    "unreadable.picture": Phrase(
        "文件是图片，不是 notebook，记 0 分；请交 .ipynb 文件。",
        "the file is a picture, no notebook: 0 points; hand in the .ipynb file.",
    ),
    "repaired.split": Phrase(
        "答案单元 {cell} 被拆成了几个，已合起来评。",
        "the answer {cell} was split into several cells; they were put together.",
    ),
    "repaired.nbformat": Phrase(
        "文件是旧版 notebook 格式，已转换。", "the file was in an old notebook format; it was converted."
    ),
    "repaired.too_many_cells": Phrase(
        "单元太多，只看前 {cell} 个。", "the notebook has too many cells; only the first {cell} were read."
    ),
    # the examiner, in the student's language
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
    # what intake found
    "intake.no_notebook": Phrase("没有找到 {cell} 的 notebook。", "no notebook of {cell} was found."),
    "intake.two_notebooks": Phrase(
        "有不止一份不同的 notebook（{cell}），没有替你选；请只留一份。",
        "there is more than one notebook ({cell}) and they differ; none was chosen: keep the one that "
        "counts.",
    ),
    "intake.results": Phrase(
        "实验结果 {cell} 一并收下，评分时用它。", "The result {cell} was taken too; it is what grading reads."
    ),
    "intake.bad_pack": Phrase(
        "{cell} 与包里的文件不符，这个包没有用；请再运行 notebook 的最后一格，交新的包。",
        "{cell} does not fit the files of its pack, which was not used; run the notebook's last cell again "
        "and hand in the new pack.",
    ),
    "intake.from_answers": Phrase(
        "包里没有最新的 notebook，用的是 {cell} 里的答案；其他单元里的改动没有收到。",
        "the pack holds no current notebook, so the answers in {cell} were used; changes in other cells did "
        "not arrive.",
    ),
    "intake.renamed": Phrase(
        "文件名是 {cell}，已按内容认出。", "the file was named {cell}; it was recognised by its content."
    ),
    "intake.link": Phrase(
        "{cell} 是链接或不是普通文件，没有读取。", "{cell} is a link or no plain file; it was not read."
    ),
    "intake.too_large": Phrase(
        "{cell} 太大，没有读取；请清除输出后再交。",
        "{cell} is too large and was not read; clear its outputs.",
    ),
    "intake.unreadable_file": Phrase("{cell} 打不开。", "{cell} cannot be opened."),
    "intake.encrypted": Phrase("{cell} 加了密码，没有读取。", "{cell} has a password and was not read."),
    "intake.bad_zip": Phrase(
        "压缩包 {cell} 已损坏，没有读取。", "the archive {cell} is damaged and was not read."
    ),
    "intake.too_many": Phrase(
        "{cell} 里的文件太多或太大，没有读取。",
        "{cell} holds too many files or too large ones; it was not read.",
    ),
    "intake.missing": Phrase("找不到 {path}。", "There is no {path}."),
    "intake.taken": Phrase("✓ {student}：{file}", "✓ {student}: {file}"),
    "intake.refused": Phrase("✗ {student}：没有可用的 notebook", "✗ {student}: no usable notebook"),
    "intake.note": Phrase("    {note}", "    {note}"),
    "intake.summary": Phrase(
        "{lesson}：收下 {taken} 份，{refused} 份没有可用的 notebook，{changed} 份是新的或改过的。",
        "{lesson}: {taken} taken in, {refused} without a usable notebook, {changed} new or changed.",
    ),
    "repaired.encoding": Phrase(
        "文件编码是 {cell}，已照常读取。", "the file was saved as {cell}; read as usual."
    ),
    "repaired.deleted": Phrase(
        "检查单元 {cell} 被删掉了，已补回。", "the check {cell} was missing; it was put back."
    ),
    "repaired.missing": Phrase(
        "单元 {cell} 不见了，已补回。", "the cell {cell} was missing; it was put back."
    ),
    "repaired.changed_check": Phrase(
        "检查单元 {cell} 被改过，评分用的是原来的。",
        "the check {cell} was changed; the original one was used.",
    ),
    "repaired.copied_check": Phrase(
        "检查单元 {cell} 有好几份，评分用的是原来的。",
        "the check {cell} was there more than once; the original was used.",
    ),
    "repaired.copied": Phrase(
        "答案单元 {cell} 有好几份，评的是最后写好的那一份。",
        "the answer {cell} was there more than once; the last one filled in was graded.",
    ),
    "repaired.recognised": Phrase(
        "答案单元 {cell} 丢了名字，已按其中定义的函数认出。",
        "the answer {cell} had lost its name; it was recognised by what it defines.",
    ),
    "repaired.cell_type": Phrase(
        "答案单元 {cell} 不是代码单元，已按代码处理。",
        "the answer {cell} was no code cell; it was taken as code.",
    ),
    # the student's page
    "feedback.not_graded": Phrase(
        "{lesson} 还没有评过分的作业（{student}）；先运行 `course grade {lesson}`。",
        "No graded submission of {lesson} ({student}); run `course grade {lesson}` first.",
    ),
    "feedback.written": Phrase("✎ {count} 页反馈，在 {path}", "✎ {count} pages of feedback in {path}"),
    "page.student": Phrase("学号 {student}", "Student {student}"),
    "page.points": Phrase("得分", "Points"),
    "page.late": Phrase("迟交，扣 {penalty} 分。", "Handed in late: {penalty} points off."),
    "page.how": Phrase(
        "每个概念单独计分。没通过的，后面写着检查用的期望值、你的值，以及这个值常常来自哪个想法。",
        "Each concept has points of its own. Where one failed, the line says what was expected, "
        "what came, and which idea usually gives that value.",
    ),
    "page.notes": Phrase("关于你交的文件", "About the file you handed in"),
    "page.comment": Phrase("老师的话：", "Your teacher:"),
    "page.your_code": Phrase("你的代码", "Your code"),
    "page.your_output": Phrase("它打印的内容", "What it printed"),
    "page.cell_failed": Phrase("这个单元运行时报错：{error}", "This cell failed: {error}"),
    "page.not_run": Phrase("检查没能跑完（{error}）。", "The check did not run to its end ({error})."),
    "page.review": Phrase("等待老师复核。", "Waiting for your teacher."),
    "page.foot": Phrase(
        "评分用的检查不公开。把没通过的概念改好，用 notebook 里的检查再试一次。",
        "The graded checks are not published. Mend the concepts that failed and try again with "
        "the checks in the notebook.",
    ),
    # the class report
    "report.heading": Phrase("全班报告", "Class report"),
    "report.scores": Phrase("{title}", "{title}"),
    "report.by_concept": Phrase("每个学生、每个概念", "By student and concept"),
    "report.rates": Phrase("各概念的失败率", "Failure rates by concept"),
    "report.ideas": Phrase("出现的错误想法", "Wrong ideas that occurred"),
    "report.no_ideas": Phrase("没有。", "None."),
    "report.noticed": Phrase("收作业和评分时发现的", "Noticed while collecting and grading"),
    "report.look_alikes": Phrase("过于相似的作业", "Submissions that look too much alike"),
    "report.look_alike": Phrase(
        "{students}：几个答案的结构完全相同，只有名字、注释和排版不同。请看一眼再下结论。",
        "{students}: all answers have the same structure and differ in names, comments and layout "
        "only. Look before you judge.",
    ),
    "report.shared": Phrase(
        "{students}：实验结果里有 {share:.0%} 的原始样本一模一样，两次真实的测量不会这样。请看一眼再下结论。",
        "{students}: {share:.0%} of the raw samples in their results are the same to the last digit, which "
        "two real measurements never are. Look before you judge.",
    ),
    "report.course_measurement": Phrase(
        "{students}：交来的实验结果有 {share:.0%} 的原始样本就是课程自带的记录。请看一眼再下结论。",
        "{students}: {share:.0%} of the raw samples handed in are the course's own recording. Look before "
        "you judge.",
    ),
    "report.no_look_alikes": Phrase("没有。", "None."),
    "report.student": Phrase("学号", "student"),
    "report.students": Phrase("学生", "students"),
    "report.language": Phrase("语言", "language"),
    "report.points": Phrase("得分", "points"),
    "report.failed_concepts": Phrase("没通过的概念", "concepts that failed"),
    "report.exercise": Phrase("练习", "exercise"),
    "report.concept": Phrase("概念", "concept"),
    "report.rate": Phrase("失败率", "failure rate"),
    "report.idea": Phrase("错误想法", "wrong idea"),
    "report.count": Phrase("人数", "how many"),
    "report.mean": Phrase(
        "{count} 人，平均 {mean:.1f}/{max:g} 分", "{count} students, mean {mean:.1f} of {max:g} points"
    ),
    "report.written": Phrase("✎ {path}", "✎ {path}"),
    # the demo
    "demo.no_sample": Phrase(
        "找不到示例班 {path}；请在完整的项目文件夹（git clone 得到的那个）里运行 `course demo`。",
        "There is no sample class at {path}; run `course demo` in the whole project, as git clone gives it.",
    ),
    "demo.not_mine": Phrase(
        "{path} 里有别的文件，不会清空；请用 --to 指定一个空文件夹。",
        "{path} holds other files and is not emptied; name an empty folder with --to.",
    ),
    "demo.release": Phrase(
        "① 发布：母版 → 两种语言的学生版", "1 Release: masters → what students get, in both languages"
    ),
    "demo.hand_in": Phrase("② 示例班 {count} 人交作业", "2 A sample class of {count} hands in"),
    "demo.grade": Phrase("③ 评分", "3 Grade"),
    "demo.feedback": Phrase("④ 反馈页和全班报告", "4 Feedback pages and the class report"),
    "demo.plots": Phrase("⑤ 画图：记录下来的测量", "5 Plots of recorded measurements"),
    "demo.title": Phrase("示例班：应得与实得", "The sample class: points expected and got"),
    "demo.story": Phrase("这份作业", "this submission"),
    "demo.expected": Phrase("应得", "expected"),
    "demo.got": Phrase("实得", "got"),
    "demo.open": Phrase("打开看看：", "Open these:"),
    "demo.formgrader": Phrase(
        "formgrader：在 {path} 里运行 `jupyter lab`，菜单 Nbgrader → Formgrader。",
        "formgrader: run `jupyter lab` in {path}, then menu Nbgrader → Formgrader.",
    ),
    # the doctor
    "doctor.title": Phrase("装了什么，缺什么", "What is installed, what is missing"),
    "doctor.for": Phrase("用途", "for"),
    "doctor.what": Phrase("名称", "what"),
    "doctor.found": Phrase("找到", "found"),
    "doctor.way_out": Phrase("怎样补上", "how to get it"),
    "doctor.lessons": Phrase("上课", "lessons"),
    "doctor.grading": Phrase("评分", "grading"),
    "doctor.gpu": Phrase("测量", "measuring"),
    "doctor.cluster": Phrase("集群", "cluster"),
    "doctor.test": Phrase("测试", "testing"),
    "doctor.kernel": Phrase("Jupyter 内核", "Jupyter kernel"),
    "doctor.sandbox": Phrase("沙箱", "sandbox"),
    "doctor.no_sandbox": Phrase(
        "不可用：{reason}。请装上 bubblewrap，并允许用户命名空间（容器要放行）；"
        "也可以用 --cluster 在别的机器上评分",
        "not available: {reason}. Install bubblewrap and allow user namespaces (a container has to permit "
        "them), or grade elsewhere with --cluster",
    ),
    "doctor.python": Phrase(
        "Python {found} 不在 3.10–3.13 之间；请换一个版本，例如 `conda create -n course python=3.11`。",
        "Python {found} is not 3.10 to 3.13; take another, for example `conda create -n course python=3.11`.",
    ),
    "doctor.debian": Phrase(
        "apt install {package}（其他系统见其网站；只有测试或隔离才需要）",
        "apt install {package} (or your system's way; only tests or isolation need it)",
    ),
    "doctor.missing": Phrase("还缺：{names}。", "Missing: {names}."),
    "doctor.well": Phrase("需要的都在。", "Everything needed is there."),
    # publish
    "cli.publish.short": Phrase("生成学生包和开始页", "make the students' bundle and its start page"),
    "cli.publish.help": Phrase(
        """生成学生拿到的一切：两种语言的 notebook、helpers 的 wheel、开始页、校验和，以及一个 zip。

        发布到哪里写在 publish.toml 里；不填时页面用相对链接。""",
        """Make all that students get: the notebooks in both languages, the wheel of helpers, a start page,
        checksums, and one zip of it.

        publish.toml says where it is published; left empty, the page uses relative links.""",
    ),
    "cli.publish.check": Phrase(
        "只检查包是否与发布版相符；不符时退出码为 1。",
        "Only check that the bundle is current; exit code 1 if it is not.",
    ),
    "cli.publish.to": Phrase("包写到哪里；默认 bundle/。", "The bundle's folder; else bundle/."),
    "publish.written": Phrase("✎ {path}", "✎ {path}"),
    "publish.removed": Phrase("✎ {path}（已删除）", "✎ {path} (removed)"),
    "publish.current": Phrase("✓ {path} 是最新的。", "✓ {path} is current."),
    "publish.stale": Phrase(
        "{path}：与发布版不符；运行 `course publish`。",
        "{path}: does not match the release; run `course publish`.",
    ),
    "publish.not_current": Phrase(
        "学生包有 {count} 个文件过期。", "{count} files of the bundle are not current."
    ),
    "publish.size": Phrase("{count} 个文件，{kilobytes} kB", "{count} files, {kilobytes} kB"),
    "publish.missing": Phrase(
        "publish.toml 里没有 {names}：页面上相应的按钮留空，并写明要填什么。",
        "publish.toml lacks {names}: the page leaves those buttons out and says what to fill in.",
    ),
    "publish.foreign": Phrase(
        "{path} 里有别的文件，不会覆盖；请换一个空文件夹。",
        "{path} holds other files and is not overwritten; choose an empty folder.",
    ),
    "publish.bad_toml": Phrase("{path} 写得不对：{reason}", "{path} is not valid: {reason}"),
    "publish.unknown_setting": Phrase(
        "publish.toml 里没有 {name} 这一项；可用：{known}。",
        "publish.toml has no setting {name}; there are: {known}.",
    ),
    "publish.bad_repository": Phrase(
        "publish.toml 的 repository 应写成 “名字/仓库”，得到 {got}。",
        'repository in publish.toml must be "owner/name", got {got}.',
    ),
    "publish.bad_address": Phrase(
        "publish.toml 的 {name} 应以 https:// 开头、以 / 结尾，得到 {got}。",
        "{name} in publish.toml must start with https:// and end with /, got {got}.",
    ),
    "publish.no_branch": Phrase(
        "publish.toml 写了 repository，却没有 branch。", "publish.toml names a repository but no branch."
    ),
    # the start page
    "start.title": Phrase("迭代预算", "Iteration Budget"),
    "start.lead": Phrase(
        "大模型服务器的一轮要花多少，一批能放多少，到哪里为止。选一个平台，一分钟内就能得到第一个检查结果。",
        "What one iteration of an LLM server costs, how large a batch may be, and where to stop. Choose a "
        "platform: within a minute the first check answers.",
    ),
    "start.other": Phrase("English", "中文"),
    "start.lesson": Phrase("第 {number} 课", "Lesson {number}"),
    "start.browser": Phrase("在浏览器里打开（什么都不用装）", "Open in the browser (nothing to install)"),
    "start.download": Phrase("下载 .ipynb", "Download .ipynb"),
    "start.read": Phrase("只读：{title}", "Read only: {title}"),
    "start.unpublished": Phrase(
        "这份学生包还没有发布。老师请在 publish.toml 里填写 {names}，再运行 course publish："
        "Colab、Kaggle、Studio Lab 的按钮就会出现。",
        "This bundle is not published yet. Teachers: fill in {names} in publish.toml and run course publish; "
        "the buttons for Colab, Kaggle and Studio Lab will appear.",
    ),
    "start.china": Phrase("魔搭 ModelScope、飞桨 AI Studio", "ModelScope and AI Studio"),
    "start.china_1": Phrase(
        "打开 modelscope.cn/my/mynotebook（或 aistudio.baidu.com），启动一个 GPU 或 CPU 环境。",
        "Open modelscope.cn/my/mynotebook (or aistudio.baidu.com) and start a GPU or CPU environment.",
    ),
    "start.china_2": Phrase(
        "新建一个终端，把下面这一行粘贴进去：", "Open a terminal there and paste this line:"
    ),
    "start.china_2_offline": Phrase(
        "把 {zip} 上传到文件区，在终端里粘贴这一行：",
        "Upload {zip} to the file area and paste this line into a terminal:",
    ),
    "start.china_3": Phrase(
        "打开 iteration-budget/zh 里的 notebook，从第一格开始运行。",
        "Open the notebook in iteration-budget/en and run it from the first cell.",
    ),
    "start.local": Phrase("自己的电脑、JupyterHub、VS Code", "Your own computer, JupyterHub, VS Code"),
    "start.local_text": Phrase(
        "下载并解压 {zip}，在解压出的文件夹里运行（需要 Python 3.10 以上）：",
        "Download and unpack {zip}, and run in its folder (Python 3.10 or newer):",
    ),
    "start.local_ready": Phrase(
        "JupyterHub 或 VS Code 里已有 matplotlib 和 pydantic 时，直接打开 notebook 即可："
        "第一格会在上级文件夹里找到 helpers。",
        "Where matplotlib and pydantic are there already (JupyterHub, VS Code), just open the notebook: its "
        "first cell finds helpers in the folder above.",
    ),
    "start.kaggle": Phrase("没有网络的 Kaggle", "Kaggle without internet"),
    "start.kaggle_text": Phrase(
        "手机未验证的账号没有网络。点 Add Input → Upload，上传 {wheel}，再运行第一格；"
        "只有下载模型权重需要在 Settings 里打开 Internet。",
        "An account without a verified phone has no internet. Choose Add Input ▸ Upload, upload {wheel}, and "
        "run the first cell; only the model's weights need Internet switched on in Settings.",
    ),
    "start.platforms": Phrase("结果会不会丢？", "Will my results survive?"),
    "start.platform": Phrase("平台", "Platform"),
    "start.session": Phrase("一次最长", "Session"),
    "start.gpu": Phrase("免费 GPU", "Free GPU"),
    "start.folder": Phrase("结果写到", "Results go to"),
    "start.kept": Phrase("之后", "Afterwards"),
    "start.beside": Phrase("notebook 旁边的 results", "results beside the notebook"),
    "start.source": Phrase("出处", "Source"),
    "start.hours": Phrase("{hours:g} 小时", "{hours:g} h"),
    "start.per.day": Phrase("每天 {hours:g} 小时", "{hours:g} h a day"),
    "start.per.week": Phrase("每周 {hours:g} 小时", "{hours:g} h a week"),
    "start.per.once": Phrase("共 {hours:g} 小时", "{hours:g} h in all"),
    "start.carry": Phrase(
        "换平台时，只要把结果文件（.json，没做完的是 .jsonl）放到 notebook 旁边，"
        "运行 platforms.keep_results()。",
        "To move to another platform, put the result file (.json, or .jsonl if unfinished) beside the "
        "notebook and run platforms.keep_results().",
    ),
    "start.handin": Phrase("交作业", "Handing in"),
    "start.handin_text": Phrase(
        "运行最后一格：它先说哪个 TODO 还空着、哪个检查没通过、缺哪份结果，再打包成一个文件。",
        "Run the last cell: it says which TODO is empty, which check fails and which result is missing, "
        "and packs one file.",
    ),
    "start.checksums": Phrase("校验和", "Checksums"),
    # the browser site
    "browser.missing": Phrase(
        "找不到 {command}；请运行 pip install '.[browser]'，npm 随 Node.js 安装。",
        "{command} is missing: run pip install '.[browser]'; npm comes with Node.js.",
    ),
    "browser.failed": Phrase("{command} 失败：{reason}", "{command} failed: {reason}"),
    "browser.built": Phrase("✎ {path}（{megabytes} MB）", "✎ {path} ({megabytes} MB)"),
}

CATALOG = Catalog(PHRASES)
say = CATALOG.say
both = CATALOG.both
