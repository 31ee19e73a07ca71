"""Masters and what is made of them: translations and releases."""

from helpers.text import Phrase

PHRASES = {
    "translations.missing_notebook": Phrase(
        "{lesson}：缺少 {language} 版；运行 `course translate` 生成它。",
        "{lesson}: the {language} edition is missing; `course translate` makes it.",
    ),
    "translations.missing": Phrase(
        "{lesson} · {cell}：{language} 版里没有这个单元；运行 `course translate`，再翻译它。",
        "{lesson} · {cell}: missing in the {language} edition; run `course translate`, then translate it.",
    ),
    "translations.extra": Phrase(
        "{lesson} · {cell}：{language} 版多出这个单元；`course translate` 会删去它。",
        "{lesson} · {cell}: the {language} edition has this cell too many; `course translate` removes it.",
    ),
    "translations.order": Phrase(
        "{lesson} · {cell}：在 {language} 版里的位置不同；运行 `course translate`。",
        "{lesson} · {cell}: stands elsewhere in the {language} edition; run `course translate`.",
    ),
    "translations.code": Phrase(
        "{lesson} · {cell}：{language} 版的代码与中文版不同；请只改中文版，再运行 `course translate`。",
        "{lesson} · {cell}: its code differs in the {language} edition; change the Chinese master "
        "only, then run `course translate`.",
    ),
    "translations.frame": Phrase(
        "{lesson} · {cell}：与 source/frame/ 里的不同；改那里的文件，再运行 `course translate`。",
        "{lesson} · {cell}: differs from the file in source/frame/; change that file, then run "
        "`course translate`.",
    ),
    "translations.metadata": Phrase(
        "{lesson} · {cell}：{language} 版的元数据与中文版不同；运行 `course translate`。",
        "{lesson} · {cell}: its metadata differs in the {language} edition; run `course translate`.",
    ),
    "translations.untranslated": Phrase(
        "{lesson} · {cell}：还没有译成 {language}；译好后运行 `course translate --translated {cell}`。",
        "{lesson} · {cell}: not translated to {language} yet; when it is, run `course translate "
        "--translated {cell}`.",
    ),
    "translations.stale": Phrase(
        "{lesson} · {cell}：翻译后中文又改过；请修订 {language} 版，再运行 `course translate "
        "--translated {cell}`。",
        "{lesson} · {cell}: the Chinese text changed after it was translated; revise the "
        "{language} text, then run `course translate --translated {cell}`.",
    ),
    "translations.unknown_cell": Phrase(
        "没有名为 {cell} 的文本单元。", "There is no text cell named {cell}."
    ),
    "translations.clean": Phrase(
        "✓ {lesson}：两种语言一致（{cells} 个单元）。", "✓ {lesson}: the two languages agree ({cells} cells)."
    ),
    "translations.updated": Phrase("✎ {path} 已更新。", "✎ {path} updated."),
    "translations.differ": Phrase(
        "两种语言不一致：{count} 处。", "The two languages differ in {count} places."
    ),
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
}
