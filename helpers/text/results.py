"""A result on reading: what is refused, what does not fit, and how it is judged."""

from helpers.text.phrase import Phrase

PHRASES = {
    "result.not_found": Phrase("找不到结果文件 {path}。", "There is no result file {path}."),
    "result.unreadable": Phrase("无法读取 {path}：{reason}。", "{path} cannot be read: {reason}."),
    "result.empty": Phrase("{path} 是空文件。", "{path} is empty."),
    "result.too_large": Phrase(
        "{path} 超过 {megabytes} MB，不是本实验的结果。",
        "{path} is larger than {megabytes} MB and no result of this experiment.",
    ),
    "result.not_utf8": Phrase(
        "{path} 不是 UTF-8 文本，文件已损坏。", "{path} is damaged: it is not UTF-8 text."
    ),
    "result.truncated": Phrase(
        "{path} 不完整：内容在第 {line} 行第 {column} 列中断。",
        "{path} is truncated: it ends at line {line}, column {column}.",
    ),
    "result.damaged": Phrase(
        "{path} 已损坏：第 {line} 行第 {column} 列不是合法的 JSON。",
        "{path} is damaged: no valid JSON at line {line}, column {column}.",
    ),
    "result.bad_json": Phrase("{path} 已损坏：{reason}。", "{path} is damaged: {reason}."),
    "result.foreign": Phrase(
        "{path} 不是实验结果：应为 JSON 对象，得到 {got}。",
        "{path} is no result of an experiment: expected a JSON object, got {got}.",
    ),
    "result.schema": Phrase(
        "{path} 不是本实验的结果：schema_version 应为 {want}，得到 {got}。",
        "{path} is no result of this experiment: schema_version must be {want}, got {got}.",
    ),
    "result.field": Phrase(
        "{path} 不可用：{field} 不合规则（{rule}），得到 {got}。",
        "{path} is refused: {field} breaks a rule ({rule}), got {got}.",
    ),
    "result.rule": Phrase("{path} 不可用：{field}，{rule}。", "{path} is refused: {field}, {rule}."),
    "result.edited": Phrase(
        "{path} 在保存之后被改动过：内容与其 content_sha256 不符。",
        "{path} was changed after it was saved: its content does not match content_sha256.",
    ),
    "result.label": Phrase(
        "RUN_LABEL 只能由 1–64 个字母、数字、点、短横或下划线组成，并以字母或数字开头，得到 {got}。",
        "RUN_LABEL must be 1 to 64 letters, digits, dots, hyphens or underscores and start with a letter "
        "or digit, got {got}.",
    ),
    "result.exists": Phrase(
        "{path} 已有结果，不会覆盖：请换一个 RUN_LABEL。",
        "{path} holds an earlier result and is not overwritten: choose another RUN_LABEL.",
    ),
    "result.in_use": Phrase(
        "{path} 正由另一个进程写入：等它结束，或换一个 RUN_LABEL。",
        "{path} is being written by another process: wait for it, or choose another RUN_LABEL.",
    ),
    "result.rule.missing": Phrase("缺少该字段", "it is missing"),
    "result.rule.extra_forbidden": Phrase("不认识的字段", "no such field is known"),
    "result.rule.int_type": Phrase("必须是整数", "it must be an integer"),
    "result.rule.float_type": Phrase("必须是数字", "it must be a number"),
    "result.rule.string_type": Phrase("必须是字符串", "it must be a string"),
    "result.rule.bool_type": Phrase("必须是 true 或 false", "it must be true or false"),
    "result.rule.tuple_type": Phrase("必须是列表", "it must be a list"),
    "result.rule.model_type": Phrase("必须是对象", "it must be an object"),
    "result.rule.finite_number": Phrase("必须是有限的数", "it must be finite"),
    "result.rule.greater_than": Phrase("必须 > {gt}", "it must be > {gt}"),
    "result.rule.greater_than_equal": Phrase("必须 >= {ge}", "it must be >= {ge}"),
    "result.rule.less_than_equal": Phrase("必须 <= {le}", "it must be <= {le}"),
    "result.rule.literal_error": Phrase("只能是 {expected}", "it must be {expected}"),
    "result.rule.string_too_short": Phrase("不得为空", "it must not be empty"),
    "result.needs_source": Phrase(
        "kind 不是 measured_end_to_end 时必须给出 source 与 licence",
        "source and licence must be given unless kind is measured_end_to_end",
    ),
    "result.cpu_is_no_gpu": Phrase(
        "device 为 cpu 时 gpu 与 cuda 必须为空：CPU 的结果不能充作 GPU 的",
        "gpu and cuda must be empty when device is cpu: a CPU result is no GPU result",
    ),
    "result.statistic": Phrase(
        "{name} 写的是 {written}，由样本算出的是 {computed}",
        "{name} says {written}, the samples give {computed}",
    ),
    "result.failed_needs_reason": Phrase(
        "status 为 failed 时 failure 必须写明原因", "failure must say why when status is failed"
    ),
    "result.failed_has_samples": Phrase(
        "失败的形状不得带样本或中位数", "a failed shape must have no samples and no medians"
    ),
    "result.ok_needs_figures": Phrase(
        "status 为 ok 的形状必须有样本或中位数", "a shape with status ok must have samples or a median"
    ),
    "result.ok_has_failure": Phrase(
        "status 为 ok 时 failure 必须为空",
        "failure must be empty when status is ok",
    ),
    "result.record_twice": Phrase(
        "每个形状只能有一条记录，{shape} 出现了两次", "each shape must have one record, {shape} has two"
    ),
    "result.record_stray": Phrase(
        "形状 {shape} 不在实验矩阵里", "shape {shape} is not part of the workload's matrix"
    ),
    "result.not_json_constant": Phrase("{got} 不是合法的 JSON 数值", "{got} is no number in JSON"),
    "result.double_key": Phrase("同一个对象里有重复的键", "a key stands twice in one object"),
    "timing.no_samples": Phrase(
        "samples_ms 至少要有一个样本。",
        "samples_ms must hold at least one sample, got none.",
    ),
    "timing.device": Phrase(
        "device 只能是 cuda、mps 或 cpu，得到 {got}。",
        "device must be cuda, mps or cpu, got {got}.",
    ),
    "timing.few": Phrase(
        "只有 {n} 个样本：P95 就是排序后的第 {rank} 个，它低于真实 P95 的概率是 {percent}"
        "；60 个是起码的数量。",
        "Only {n} samples: their P95 is the {rank}th in order, and lies below the true "
        "P95 with probability {percent}; 60 are the least it takes.",
    ),
    "timing.wide": Phrase(
        "离散过大：中间一半样本横跨中位数的 {percent}（上限 10%），不宜据此下结论。",
        "The spread is wide: the middle half of the samples spans {percent} of the "
        "median (limit 10 %); do not conclude from it.",
    ),
    "timing.drift": Phrase(
        "时间在漂移：后三分之一比前三分之一 {percent}。",
        "The times drift: the last third against the first {percent}.",
    ),
    "timing.launch": Phrase(
        "提交耗时是设备耗时的 {ratio} 倍：这一步的快慢由 launch 决定，不由设备决定。",
        "Submission takes {ratio} of the device's time: launches set the pace of this step, not the device.",
    ),
    "audit.unreadable": Phrase("{reason}", "{reason}"),
    "audit.unregistered": Phrase(
        "{where}：没有登记过实验 {got}。",
        "{where}: no experiment {got} is registered.",
    ),
    "audit.version": Phrase(
        "{where}：版本是 {got}，登记的是 {want}；协议无法核对。",
        "{where}: version {got}, registered is {want}; the protocol cannot be checked.",
    ),
    "audit.protocol": Phrase(
        "{where} 与登记的协议不符：应为 {want}，得到 {got}。",
        "{where} differs from the registered protocol: expected {want}, got {got}.",
    ),
    "audit.not_measured": Phrase(
        "{where}：数据是 {kind}，不是亲自测量的。",
        "{where}: these figures are {kind}, not measured by yourself.",
    ),
    "audit.lacks": Phrase("{where} 缺少：{names}。", "{where} lacks: {names}."),
    "audit.profile": Phrase(
        "{where}：{got} 与设备 {device} 不符。",
        "{where}: {got} does not belong to device {device}.",
    ),
    "audit.model": Phrase(
        "{where}：{model} 应为 {want}，得到 {got}。",
        "{where}: {model} has {want}, got {got}.",
    ),
    "audit.bfloat16": Phrase(
        "{where}：{gpu} 的计算能力是 {capability}，没有 bfloat16 硬件，计时的是仿真。",
        "{where}: {gpu} has compute capability {capability} and no bfloat16; emulation was timed.",
    ),
    "audit.missing": Phrase(
        "{where}：有 {n} 个形状既没有结果也没有原因（{shapes}）。",
        "{where}: {n} shapes have neither a result nor a reason ({shapes}).",
    ),
    "audit.nothing": Phrase("{where}：没有一个形状测量成功。", "{where}: not one shape was measured."),
    "audit.positions": Phrase(
        "{where}：两个形状有同一个执行次序。",
        "{where}: two shapes have the same place in the run.",
    ),
    "audit.time_sum": Phrase(
        "{where}：样本合计 {sampled} s，计时部分 {timed} s，全程 {wall} s，不可能。",
        "{where}: samples of {sampled} s in {timed} s of timing in a run of {wall} s cannot be.",
    ),
    "audit.no_samples": Phrase("{where}：没有原始样本。", "{where}: there are no raw samples."),
    "audit.few_samples": Phrase(
        "{where}：只有 {n} 个样本，协议要求 {want} 个。",
        "{where}: {n} samples, the protocol asks for {want}.",
    ),
    "audit.alike": Phrase(
        "{where}：{n} 个样本完全相同，真实计时不会这样。",
        "{where}: all {n} samples are the same, which real timing never gives.",
    ),
    "audit.order": Phrase(
        "{where}：P95（{p95}）小于中位数（{median}）。",
        "{where}: the P95 ({p95}) is below the median ({median}).",
    ),
    "audit.kv": Phrase(
        "{where}：KV 字节应为每 token 字节 × token 数 = {want}，得到 {got}。",
        "{where}: KV bytes must be bytes per token × tokens = {want}, got {got}.",
    ),
    "audit.bandwidth": Phrase(
        "{where}：一步 decode 等于以 {implied} GB/s 读内存，超过设备峰值 {peak} GB/s。",
        "{where}: this decode step would read {implied} GB/s, above the device's peak of {peak} GB/s.",
    ),
    "audit.no_gates": Phrase("{where}：没有正确性检查的记录。", "{where}: no correctness check is recorded."),
    "audit.gate": Phrase("{where}：检查 {gate} 未通过。", "{where}: the check {gate} did not hold."),
    "audit.recovery": Phrase(
        "{where}：内存不足之后没有记录是否恢复。",
        "{where}: recovery after running out of memory is not recorded.",
    ),
    "judge.scope": Phrase("运行与口径", "run and scope"),
    "judge.mechanism": Phrase("机制与路径", "mechanism and path"),
    "judge.correctness": Phrase("正确性", "correctness"),
    "judge.resources": Phrase("资源与性能", "resources and performance"),
    "judge.evidence": Phrase("证据与决策", "evidence and decision"),
    "judge.held": Phrase("成立", "held"),
    "judge.failed": Phrase("不成立", "failed"),
    "judge.pending": Phrase("待验证", "pending"),
    "judge.no_report": Phrase(
        "还没有结果：先运行实验。",
        "There is no result yet: run the experiment first.",
    ),
    "judge.scope_text": Phrase(
        "{model}，{dtype}，协议 {version}：{total} 个形状中 {ok} 个有结果，{failed} 个失败并有原因，"
        "{missing} 个缺失。",
        "{model}, {dtype}, protocol {version}: {ok} of {total} shapes measured, {failed} failed with a "
        "reason, {missing} missing.",
    ),
    "judge.scope_failed": Phrase(
        "{model}，{dtype}，协议 {version}：{total} 个形状中 {ok} 个有结果；失败：{reason}。先解决它再重跑。",
        "{model}, {dtype}, protocol {version}: {ok} of {total} shapes measured; failure: {reason}. Solve "
        "it and run again.",
    ),
    "judge.mechanism_stuck": Phrase(
        "形状 {shape} 内存不足后设备没有恢复：停止后续形状，先修复运行状态。",
        "The device did not recover after {shape} ran out of memory: stop, and repair its state first.",
    ),
    "judge.mechanism_no_kv": Phrase(
        "没有每个形状的 KV 字节：容量的结论待验证。",
        "KV bytes are not recorded for each shape: conclusions on capacity are pending.",
    ),
    "judge.mechanism_text": Phrase(
        "每 token {per_token} 字节 KV；attention kernel：{kernels}；{oom} 个形状内存不足"
        "且已恢复；{launch} 个形状由 launch 决定快慢。",
        "{per_token} KV bytes per token; attention: {kernels}; {oom} shapes ran out of "
        "memory and recovered; launches set the pace of {launch} shapes.",
    ),
    "judge.correctness_failed": Phrase(
        "这些检查未通过：{gates}；不解释性能。",
        "These checks did not hold: {gates}; do not interpret the times.",
    ),
    "judge.correctness_pending": Phrase(
        "没有记录输出与缓存的检查；不解释性能。",
        "Output and cache were not checked; do not interpret the times.",
    ),
    "judge.correctness_text": Phrase(
        "{n} 个形状的输出、缓存长度与 KV 字节都对；单步 Decode 与多一个 token 的 Prefill 最多相差 {worst}（"
        "相对）。",
        "Output, cache length and KV bytes hold for {n} shapes; a decode step differs from a prefill one "
        "token longer by {worst} at most (relative).",
    ),
    "judge.resources_pending": Phrase(
        "没有原始样本：中位数与 P95 待验证。",
        "There are no raw samples: medians and P95 are pending.",
    ),
    "judge.resources_text": Phrase(
        "decode 中位数 {low}–{high} ms，{slow}–{fast} token/s，峰值内存 {peak}；{n} 个形"
        "状中 {wide} 个离散超过 10%，每个至少 {least} 个样本。",
        "Decode medians {low} to {high} ms, {slow} to {fast} tokens/s, peak memory "
        "{peak}; {wide} of {n} shapes spread by more than 10 %, at least {least} samples "
        "each.",
    ),
    "judge.evidence_text": Phrase(
        "证据 {level}（{kind}，权重 {weights}，{device}）；决策 {decision}；缺少：{lacks}。下一步：交给真实"
        "队列与连续批处理复测。",
        "Evidence {level} ({kind}, {weights} weights, {device}); decision {decision}; lacking: {lacks}. "
        "Next: measure again under a real queue with continuous batching.",
    ),
    "judge.sentinel": Phrase(
        "哨兵形状的 {n} 次中位数相差 {percent}：机器在测量期间变了。",
        "The sentinel's {n} medians differ by {percent}: the machine changed during the run.",
    ),
}
