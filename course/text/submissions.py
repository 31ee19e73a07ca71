"""What students hand in: what was put right, and what could not be."""

from helpers.text import Phrase

PHRASES = {
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
        "{cell} is too large and was not read; clear its outputs and hand it in again.",
    ),
    "intake.failed": Phrase("读不了（{cell}），没有收下。", "It cannot be read ({cell}) and was not taken."),
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
}
