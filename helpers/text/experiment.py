"""The experiment on its way: protocol, preflight, progress, command line."""

from helpers.text.phrase import Phrase

PHRASES = {
    "workload.positive": Phrase(
        "{name} 必须为正，得到 {got}。",
        "{name} must be positive, got {got}.",
    ),
    "workload.distinct": Phrase(
        "{name} 至少要有一个值且不得重复，得到 {got}。",
        "{name} must hold at least one value and none twice, got {got}.",
    ),
    "workload.at_least": Phrase(
        "{name} 必须是不小于 {low} 的整数，得到 {got}。",
        "{name} must be an integer >= {low}, got {got}.",
    ),
    "workload.one_of": Phrase(
        "{name} 只能是 {choices} 之一，得到 {got}。",
        "{name} must be one of {choices}, got {got}.",
    ),
    "workload.unknown": Phrase(
        "没有登记过实验 {got}；已登记：{known}。",
        "No experiment {got} is registered; there are: {known}.",
    ),
    "workload.needs_version": Phrase(
        "{name} 从 {was} 改成 {now} 就是另一个实验：请同时换一个 version（现在是 {version}）。",
        "With {name} changed from {was} to {now} it is another experiment: give it another version "
        "(now {version}).",
    ),
    "preflight.status": Phrase(
        "{profile}：status={status}（{device}）", "{profile}: status={status} ({device})"
    ),
    "preflight.wrong_device": Phrase(
        "{profile} 与设备 {device} 不符：CPU 的结果不能充作 GPU 的。请换 PROFILE_ID 或换设备。",
        "{profile} does not belong to device {device}: a CPU result is no GPU result. Change PROFILE_ID or "
        "the "
        "device.",
    ),
    "preflight.no_cuda": Phrase(
        "看不到 GPU：请在平台设置里打开 GPU 加速器，重启内核后从第一格重新运行；没有 GPU "
        "就设 RUN_MODE = 'real_cpu'、WORKLOAD_ID = 'inf-iteration-budget-cpu'。",
        "No GPU is visible: switch the accelerator on in the platform's settings, "
        "restart the kernel and run again from the first cell; without one set RUN_MODE "
        "= 'real_cpu' and WORKLOAD_ID = 'inf-iteration-budget-cpu'.",
    ),
    "preflight.torch_without_cuda": Phrase(
        "装的是不带 CUDA 的 torch：请安装带 CUDA 的版本；没有 GPU 就设 RUN_MODE = 'real_c"
        "pu'、WORKLOAD_ID = 'inf-iteration-budget-cpu'。",
        "This torch was built without CUDA: install one with CUDA; without a GPU set "
        "RUN_MODE = 'real_cpu' and WORKLOAD_ID = 'inf-iteration-budget-cpu'.",
    ),
    "preflight.no_mps": Phrase(
        "看不到 Apple GPU（MPS）：请设 RUN_MODE = 'real_cpu'、WORKLOAD_ID = 'inf-iteration-budget-cpu'。",
        "No Apple GPU (MPS) is visible: set RUN_MODE = 'real_cpu' and WORKLOAD_ID = "
        "'inf-iteration-budget-cpu'.",
    ),
    "preflight.no_kernels": Phrase(
        "{gpu} 是 {arch}，而这个 torch 只含 {built} 的 kernel：请换一块 GPU（如 T4），或"
        "装一个支持 {arch} 的旧版 torch。",
        "{gpu} is {arch}, but this torch holds kernels for {built} only: choose another "
        "GPU (a T4 for example) or an older torch that supports {arch}.",
    ),
    "preflight.driver": Phrase(
        "申请 4 MB 也报显存不足，而空闲有 {free} GB：torch 的 CUDA {cuda} 比驱动 {driver} 新。请装与驱动相"
        "配的 torch。",
        "4 MB are refused as out of memory although {free} GB are free: torch's CUDA {cuda} is newer than "
        "driver "
        "{driver}. Install a torch that fits the driver.",
    ),
    "preflight.kernel": Phrase(
        "设备算不了一次小乘法（{error}）：请重启内核；再失败就换一台机器。",
        "The device cannot compute a small product ({error}): restart the kernel; if it fails again, "
        "change the "
        "machine.",
    ),
    "preflight.busy": Phrase(
        "设备上还有 {n} 个进程（{processes}）：它们会影响计时；若是旧内核请先关掉。",
        "{n} processes use the device ({processes}): they disturb the times; shut old kernels down first.",
    ),
    "preflight.busy_cpu": Phrase(
        "处理器已有 {load} 被占用：两个程序抢核时一步可能慢十倍，请先关掉别的程序。",
        "The processor is {load} busy: programs that compete for cores can make a step ten times slower; "
        "close them first.",
    ),
    "preflight.bfloat16": Phrase(
        "{gpu} 的计算能力是 {capability}，没有 bfloat16 硬件（只会仿真）：请设 GPU_DTYPE = 'float16'。",
        "{gpu} has compute capability {capability} and no bfloat16 in hardware (it would be emulated): set "
        "GPU_DTYPE = 'float16'.",
    ),
    "preflight.slow_dtype": Phrase(
        "多数 CPU 上 {dtype} 比 float32 慢：除非有意，请用 float32。",
        "On most CPUs {dtype} is slower than float32: use float32 unless you mean it.",
    ),
    "preflight.memory": Phrase(
        "最小的形状也要约 {need} GB，空闲只有 {free} GB：请关掉占用内存的程序，或换更小的模型。",
        "Even the smallest shape takes about {need} GB, and {free} GB are free: close what holds memory, "
        "or take "
        "a smaller model.",
    ),
    "preflight.memory_large": Phrase(
        "最大的形状预计要 {need} GB，空闲 {free} GB：它会作为失败形状记录，其余照常。",
        "The largest shape takes about {need} GB and {free} GB are free: it will be recorded as failed, "
        "the "
        "others run.",
    ),
    "preflight.no_folder": Phrase(
        "{where} 里没有模型（缺 config.json）：请给出含权重的文件夹。",
        "There is no model in {where} (config.json is missing): name the folder that holds the weights.",
    ),
    "preflight.no_weights": Phrase(
        "连不上 {where}，本地也没有权重：请打开平台的网络开关；或重启内核，先运行 import "
        "os; os.environ['HF_ENDPOINT'] = '镜像的地址'，再从头运行；或用 modelscope.snapsh"
        "ot_download 下载，再在 experiment.settings(…) 里加上 SOURCE = '那个文件夹'；或加"
        "上 WEIGHTS = 'random'。",
        "{where} cannot be reached and no weights are here: switch the platform's "
        "internet on; or restart the kernel, run import os; os.environ['HF_ENDPOINT'] = "
        "'address of a mirror' first, then everything from the top; or download by "
        "modelscope.snapshot_download and add SOURCE = 'that folder' to "
        "experiment.settings(...); or add WEIGHTS = 'random'.",
    ),
    "preflight.random_weights": Phrase(
        "权重是随机初始化的：时间与内存有效，文字没有意义；结果里会注明。",
        "The weights are random: times and memory hold, its text means nothing; the result says so.",
    ),
    "preflight.disk": Phrase(
        "权重要 {need} GB 磁盘，只剩 {free} GB：请清理，或用 HF_HOME 指到别的磁盘。",
        "The weights need {need} GB on disk and {free} GB are left: make room, or point HF_HOME to another "
        "disk.",
    ),
    "preflight.not_installed": Phrase("没有安装 {name}：{command}", "{name} is not installed: {command}"),
    "preflight.too_old": Phrase(
        "{name} {version} 太旧，需要 {least} 以上：pip install -U {name}",
        "{name} {version} is too old, {least} or newer is needed: pip install -U {name}",
    ),
    "experiment.constant": Phrase(
        "没有常量 {got}；可用：{known}。",
        "There is no constant {got}; there are: {known}.",
    ),
    "experiment.plan": Phrase(
        "计划 {id} {version}：{model}，{dtype}，权重 {weights} GB；预热 {warmup} 次，重复 {repeats} 次；结"
        "果写入 {path}",
        "Plan {id} {version}: {model}, {dtype}, weights {weights} GB; {warmup} warm-ups, {repeats} "
        "repeats; result in {path}",
    ),
    "experiment.column_shape": Phrase("batch × context", "batch × context"),
    "experiment.column_kv": Phrase("KV GB", "KV GB"),
    "experiment.column_memory": Phrase("权重外内存 GB（预计）", "memory beside weights GB (predicted)"),
    "experiment.column_prefill": Phrase("Prefill ms（你的函数）", "prefill ms (your function)"),
    "experiment.column_decode": Phrase("Decode ms（你的函数）", "decode ms (your function)"),
    "experiment.no_random": Phrase(
        "{model} 的结构不在本课程可随机初始化的列表里。",
        "{model} is none of the shapes that can be built with random weights.",
    ),
    "experiment.gate": Phrase(
        "计时前后的检查 {gate} 未通过：{detail}",
        "The check {gate} around the timing failed: {detail}",
    ),
    "experiment.no_graphs": Phrase(
        "设备 {device} 没有 CUDA graph，这个系列跳过",
        "device {device} has no CUDA graphs; this series is skipped",
    ),
    "experiment.deadly": Phrase(
        "这个形状已经 {times} 次让进程中断，不再尝试。",
        "This shape ended the process {times} times and is not tried again.",
    ),
    "experiment.too_large": Phrase(
        "预计要 {need} GB，可用 {free} GB：不尝试。", "{need} GB predicted, {free} GB free: not tried."
    ),
    "experiment.not_recovered": Phrase(
        "形状 {shape} 内存不足后设备没有恢复：后续形状已停止，请重启内核后再运行。",
        "The device did not recover after shape {shape} ran out of memory: the run stopped; restart the "
        "kernel and "
        "run again.",
    ),
    "experiment.nothing": Phrase("没有一个形状测量成功。", "Not one shape was measured."),
    "experiment.dry_run": Phrase(
        "RUN_MODE 是 'dry_run'：只列出计划。有 GPU 就改为 'real_gpu'；没有就改为 'real_cp"
        "u'，同时把 WORKLOAD_ID 改为 'inf-iteration-budget-cpu'。",
        "RUN_MODE is 'dry_run': only the plan is shown. Set 'real_gpu' with a GPU; "
        "without one 'real_cpu', and WORKLOAD_ID = 'inf-iteration-budget-cpu' with it.",
    ),
    "experiment.cpu_is_no_gpu": Phrase(
        "RUN_MODE 是 'real_gpu'，PROFILE_ID 却是 CPU 的：请改为 'real_cpu'。",
        "RUN_MODE is 'real_gpu' but PROFILE_ID is the CPU's: set 'real_cpu'.",
    ),
    "experiment.journal": Phrase(
        "{path} 里有不认识的行（{got}）。",
        "{path} holds a line of an unknown kind ({got}).",
    ),
    "experiment.other_run": Phrase(
        "{path} 是另一次实验的：{field} 当时是 {was}，现在是 {now}。请换一个 RUN_LABEL。",
        "{path} belongs to another experiment: {field} was {was} and is {now} now. Choose another RUN_LABEL.",
    ),
    "experiment.earlier": Phrase(
        "已有结果，直接读取：{path}",
        "The result is already there and is read: {path}",
    ),
    "experiment.loading": Phrase("正在载入 {model} …", "Loading {model} …"),
    "experiment.not_loaded": Phrase("无法载入 {model}：{error}", "{model} could not be loaded: {error}"),
    "experiment.interrupted": Phrase(
        "已中断：完成的形状都已保存，再运行同一个单元格就从这里继续。",
        "Interrupted: every finished shape is saved; run the same cell again to go on.",
    ),
    "experiment.resumed": Phrase(
        "接着上次：{total} 个形状已完成 {done} 个。",
        "Going on: {done} of {total} shapes are done.",
    ),
    "experiment.left": Phrase("；约剩 {left}", "; about {left} left"),
    "experiment.line": Phrase(
        "{place}：prefill {prefill} ms，decode {decode} ms{left}",
        "{place}: prefill {prefill} ms, decode {decode} ms{left}",
    ),
    "experiment.line_decode": Phrase(
        "{place}：decode {decode} ms{left}",
        "{place}: decode {decode} ms{left}",
    ),
    "experiment.line_failed": Phrase("{place}：失败，{why}{left}", "{place}: failed, {why}{left}"),
    "experiment.completed": Phrase("完成：{path}", "Completed: {path}"),
    "experiment.partial": Phrase("部分完成（{path}）", "Partly done ({path})"),
    "experiment.failed": Phrase("没有得到结果（{path}）", "No result ({path})"),
    "command.about": Phrase(
        "在真实模型上测量 batch × context 矩阵，逐个形状保存，可中断续跑。",
        "Measure the batch × context matrix on a real model, saved shape by shape, resumable.",
    ),
    "command.language": Phrase("消息的语言", "language of the messages"),
    "command.list": Phrase("列出登记的实验", "list the registered experiments"),
    "command.page": Phrase(
        "打印登记表页面 docs/experiments.md",
        "print the registry's page, docs/experiments.md",
    ),
    "command.plan": Phrase("只看计划（dry run）", "show the plan only (dry run)"),
    "command.run": Phrase("预检、测量、保存；再次运行会续跑", "check, measure, save; the same again goes on"),
    "command.show": Phrase("显示结果的矩阵与备注", "show a result's matrix and remarks"),
    "command.judge": Phrase("由结果填写解读表", "fill the interpretation table from a result"),
    "command.audit": Phrase("检查结果文件能否作为证据", "check whether a result file holds as evidence"),
    "command.file": Phrase("结果 JSON 文件", "the result's JSON file"),
    "command.experiment": Phrase("实验的登记名", "the experiment's registered id"),
    "command.device": Phrase(
        "在哪里测量；CPU 的结果不会冒充 GPU 的",
        "where to measure; a CPU result never passes for a GPU's",
    ),
    "command.label": Phrase(
        "结果的名字，不会覆盖旧结果",
        "name of the result; an earlier one is never overwritten",
    ),
    "command.weights": Phrase(
        "公开权重，或同形状的随机权重（会注明）",
        "published weights, or random ones of the same shape (labelled)",
    ),
    "command.source": Phrase("含权重的本地文件夹", "local folder that holds the weights"),
    "command.folder": Phrase("结果写入的文件夹", "folder for the results"),
    "command.dtype": Phrase("精度；auto 按计算能力选择", "precision; auto chooses by compute capability"),
    "command.budget": Phrase(
        "总时间（秒）；时间到就减少重复",
        "seconds in all; fewer repeats when they are up",
    ),
    "command.revision": Phrase("模型的 revision", "the model's revision"),
    "command.matrix": Phrase("改矩阵须同时换 --version", "another matrix needs another --version"),
    "command.series": Phrase("系列：dynamic、static、cuda_graph", "series: dynamic, static, cuda_graph"),
    "command.repeats": Phrase("改次数须同时换 --version", "another count needs another --version"),
    "command.version": Phrase("改动协议时给它的新版本", "the version of a changed protocol"),
    "command.clean": Phrase("没有发现问题。", "Nothing was found."),
    "command.column_shape": Phrase("batch × context", "batch × context"),
    "command.column_status": Phrase("状态", "status"),
    "command.column_prefill_median": Phrase("Prefill 中位 ms", "prefill median ms"),
    "command.column_prefill_p95": Phrase("P95", "P95"),
    "command.column_decode_median": Phrase("Decode 中位 ms", "decode median ms"),
    "command.column_decode_p95": Phrase("P95", "P95"),
    "command.column_kv": Phrase("KV GB", "KV GB"),
    "command.column_peak": Phrase("峰值 GB", "peak GB"),
}
