"""The command itself: its help, folders and languages, the demo and the doctor."""

from helpers.text import Phrase

PHRASES = {
    "cli.help": Phrase(
        """从母版到成绩的全部步骤。

        一门课的一轮：`course translate` 让英文版与中文母版一致 → `course release` 生成学生版 → 学生的作业放进
        `submitted/学号/单元/单元.ipynb` → `course grade 单元` 评分 → `course feedback 单元` 写反馈页 →
        `course report 单元` 看全班。

        第一次来？`course demo` 用一个示例班走完全程，不动你的数据；`course doctor` 检查缺什么。""",
        """Every step from master notebook to grades.

        One round of a course: `course translate` keeps the English edition in step with the Chinese master →
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
    "cli.translate.short": Phrase(
        "让英文版与中文母版一致", "keep the English edition in step with the master"
    ),
    "cli.translate.help": Phrase(
        """让英文版与中文母版一致：复制代码、顺序和元数据，保留译文。首尾两格取自 source/frame/。

        中文改了而译文没改时，会指出是哪一个单元；修订译文后用 `--translated 单元名` 登记。""",
        """Keep the English edition in step with the Chinese master: code, order and metadata are copied,
        text stays. The first and the last cell come from source/frame/.

        Where the Chinese text changed after its translation, the cell is named; revise it, then say
        `--translated CELL`.""",
    ),
    "cli.translate.check": Phrase(
        "只检查，不写文件；有差别时退出码为 1。", "Write nothing; exit code 1 if they differ."
    ),
    "cli.translate.translated": Phrase(
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
    "cli.gradebook": Phrase(
        "成绩册的数据库，如 postgresql+psycopg://…；默认用配置里写的，没写就是 gradebook.db。",
        "The gradebook's database, such as postgresql+psycopg://...; by default the one that the "
        "configuration names, else gradebook.db.",
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
}
