"""The student's page and the class report."""

from helpers.text import Phrase

PHRASES = {
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
    "report.heading": Phrase("全班报告", "Class report"),
    "report.scores": Phrase("{title}", "{title}"),
    "report.by_concept": Phrase("每个学生、每个概念", "By student and concept"),
    "report.rates": Phrase("各概念的失败率", "Failure rates by concept"),
    "report.ideas": Phrase("出现的错误想法", "Wrong ideas that occurred"),
    "report.no_ideas": Phrase("没有。", "None."),
    "report.noticed": Phrase("收作业和评分时发现的", "Noticed while collecting and grading"),
    "report.look_alikes": Phrase("过于相似的作业", "Submissions that look too much alike"),
    "report.look_alike": Phrase(
        "{students}：全部答案的结构完全相同，只有名字、注释和排版不同。请看一眼再下结论。",
        "{students}: all answers have the same structure and differ in names, comments "
        "and layout only. Look before you judge.",
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
}
