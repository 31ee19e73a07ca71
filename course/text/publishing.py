"""What goes out: the students' bundle, its start page, the browser site."""

from helpers.text import Phrase

PHRASES = {
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
        "publish.toml 里没有 {names}：页面上不放相应的按钮，并写明要填什么。",
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
        "publish.toml 的 repository 应写成“名字/仓库”，得到 {got}。",
        'repository in publish.toml must be "owner/name", got {got}.',
    ),
    "publish.bad_address": Phrase(
        "publish.toml 的 {name} 应以 https:// 开头、以 / 结尾，得到 {got}。",
        "{name} in publish.toml must start with https:// and end with /, got {got}.",
    ),
    "publish.no_branch": Phrase(
        "publish.toml 写了 repository，却没有 branch。", "publish.toml names a repository but no branch."
    ),
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
    "browser.about": Phrase(
        "把本课程的发布版做成在浏览器里运行的网站（需要 npm）。",
        "Build the site that runs this course's releases in the browser (needs npm).",
    ),
    "browser.help.to": Phrase(
        "放网站的文件夹；默认 bundle/lite。", "the folder for the site; bundle/lite by default"
    ),
    "browser.missing": Phrase(
        "找不到 {command}；请运行 pip install '.[browser]'，npm 随 Node.js 安装。",
        "{command} is missing: run pip install '.[browser]'; npm comes with Node.js.",
    ),
    "browser.failed": Phrase("{command} 失败：{reason}", "{command} failed: {reason}"),
    "browser.built": Phrase("✎ {path}（{megabytes} MB）", "✎ {path} ({megabytes} MB)"),
}
