"""The platform that a notebook runs on, and the pack that is handed in."""

from helpers.text.phrase import Phrase

PHRASES = {
    "platform.note": Phrase(
        "{title}：结果写入 {folder}，{kept}。", "{title}: results go to {folder}, {kept}."
    ),
    "platform.kept.always": Phrase("会保留", "kept"),
    "platform.kept.when_saved": Phrase(
        "点“Save Version”后保留",
        'kept once you choose "Save Version"',
    ),
    "platform.kept.browser": Phrase(
        "只存在这个浏览器里，请下载", "in this browser only, so download what you need"
    ),
    "platform.kept.never": Phrase(
        "会话结束即丢失，请下载", "lost with the session, so download what you need"
    ),
    "platform.drive": Phrase(
        "platforms.keep_results() 可改存 Google Drive", "platforms.keep_results() puts them into Google Drive"
    ),
    "platform.older": Phrase(
        "比 notebook 要的 {version} 旧：pip uninstall iteration-budget-helpers，再重启内核",
        "older than this notebook's {version}: pip uninstall iteration-budget-helpers, restart the kernel",
    ),
    "platform.no_drive": Phrase(
        "没有挂载 Google Drive：结果仍写入 {folder}，会话结束前请下载。",
        "Google Drive was not mounted: results still go to {folder}; download them before the session ends.",
    ),
    "platform.carried": Phrase("{name} 已复制到 {folder}", "{name} was copied to {folder}"),
    "handin.todo": Phrase("✗ {exercise}：TODO 还空着", "✗ {exercise}: the TODO is still empty"),
    "handin.failed": Phrase("✗ {exercise}：检查没有通过。{why}", "✗ {exercise}: the check fails. {why}"),
    "handin.unchecked": Phrase(
        "? {exercise}：已写，没有可运行的检查", "? {exercise}: written, no check to run here"
    ),
    "handin.passed": Phrase("✓ {exercise}", "✓ {exercise}"),
    "handin.no_result": Phrase(
        "– 没有自己的实验结果（{workload}）：{folder} 里没有找到，决定按现成的记录评分",
        "– no result of your own ({workload}) in {folder}: the decision is graded on the ready record",
    ),
    "handin.unfinished": Phrase(
        "✗ 实验 {workload} 没有做完：再运行一次就从断点继续",
        "✗ the experiment {workload} is unfinished: run it again and it goes on where it stopped",
    ),
    "handin.bad_result": Phrase("✗ {reason}", "✗ {reason}"),
    "handin.result": Phrase("✓ 实验结果 {name}", "✓ result {name}"),
    "handin.no_lesson": Phrase(
        "这里没有本课程的练习：请先从头运行 notebook，再运行这一格。",
        "There is no exercise of the course here: run the notebook from the top, then this cell.",
    ),
    "handin.stale": Phrase(
        "{name} 比你运行过的旧：先保存 notebook（Ctrl+S），再运行这一格。",
        "{name} is older than what you ran: save the notebook (Ctrl+S), then run this cell again.",
    ),
    "handin.no_room": Phrase(
        "写不了 {name}（{reason}）：请腾出空间，或换一个可写的文件夹打开 notebook。",
        "{name} cannot be written ({reason}): make room, or open the notebook in a writable folder.",
    ),
    "handin.packed": Phrase("已打包：{path}（{kilobytes} kB）", "Packed: {path} ({kilobytes} kB)"),
    "handin.one_file": Phrase(
        "交这一个文件：答案、结果和 notebook 都在里面。",
        "Hand in this one file: answers, results and the notebook are in it.",
    ),
    "handin.two_files": Phrase(
        "notebook 不在包里，请把它也交上：菜单 {menu}。", "The notebook is not in it; hand it in too: {menu}."
    ),
    "handin.menu.colab": Phrase(
        "“文件 → 下载 → 下载 .ipynb”；左侧“文件”面板里右键 {name} → 下载",
        "File ▸ Download ▸ Download .ipynb; then Files (on the left), right-click {name} ▸ Download",
    ),
    "handin.menu.kaggle": Phrase(
        "“File → Download Notebook”；右侧 Output 里下载 {name}",
        "File ▸ Download Notebook; then download {name} from Output on the right",
    ),
    "handin.menu.jupyterlite": Phrase(
        "点上面的链接下载 {name}，再交给老师", "Click the link above to download {name}, then hand it in"
    ),
    "handin.menu.other": Phrase("“文件 → 下载”", "File ▸ Download"),
}
