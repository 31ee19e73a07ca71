"""Every message a student sees, in both languages; the bottom of the import graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Phrase:
    """One message in both languages; `{name}` marks a value to fill in."""

    zh: str
    en: str

    def in_language(self, language: Language, /, **values: object) -> str:
        template = self.zh if language == "zh" else self.en
        return template.format(**values) if values else template


class _Voice:
    """The language that messages and plots use; a notebook sets it once, in the cell tagged `language`."""

    language: Language = "zh"


def speak(language: Language) -> None:
    """Set the language of messages and plots to "zh" or "en"; anything else raises ValueError."""
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    _Voice.language = language


def spoken() -> Language:
    """The language set by `speak`; "zh" until then."""
    return _Voice.language


@dataclass(frozen=True)
class Catalog:
    """Phrases by key. `helpers` has one below, `course` has its own for instructors."""

    phrases: Mapping[str, Phrase]

    def say(self, key: str, /, **values: object) -> str:
        """The phrase in the language spoken; an unknown key raises KeyError."""
        return self.phrases[key].in_language(spoken(), **values)

    def both(self, key: str, /, **values: object) -> str:
        """Chinese and English in one line, for whoever has not chosen a language yet."""
        phrase = self.phrases[key]
        return f"{phrase.zh.format(**values)} · {phrase.en.format(**values)}"

    def __contains__(self, key: str) -> bool:
        return key in self.phrases


PHRASES: dict[str, Phrase] = {
    # checks: what was expected, what came
    "check.passed": Phrase("✓ {concept}", "✓ {concept}"),
    "check.expected": Phrase(
        "{what}：应为 {expected}，得到 {got}。",
        "{what}: expected {expected}, got {got}.",
    ),
    "check.idea": Phrase("这正是“{idea}”会得到的结果。", "This is what you get when {idea}."),
    "check.not_a_dict": Phrase(
        "函数应返回字典，得到 {got}。",
        "The function must return a dictionary, got {got}.",
    ),
    "check.missing_key": Phrase(
        "返回的字典里没有键 '{key}'，现有：{keys}。",
        "The returned dictionary has no key '{key}'; it has: {keys}.",
    ),
    "check.did_not_raise": Phrase(
        "{case} 时应抛出 {error}，却返回了 {got}。",
        "{case} must raise {error}, but returned {got}.",
    ),
    "check.raised_other": Phrase(
        "{case} 时应抛出 {error}，却抛出了 {got}。",
        "{case} must raise {error}, but raised {got}.",
    ),
    "check.refused_good": Phrase(
        "合法输入也被拒绝了：{got}。",
        "Valid input was refused too: {got}.",
    ),
    "check.in_concept": Phrase("【{concept}】{message}", "[{concept}] {message}"),
    "check.todo": Phrase("TODO 还空着。", "The TODO is still empty."),
    "check.student_error": Phrase("你的代码抛出了 {got}。", "Your code raised {got}."),
    "check.changed_input": Phrase(
        "函数改动了传入的数据；请先复制再排序或修改。",
        "The function changed the data it was given; copy before you sort or modify.",
    ),
    # concepts: what a grade cell is about
    "concept.cost": Phrase("TODO 1 一轮的账本", "TODO 1 the bill of one iteration"),
    "concept.bounds": Phrase("TODO 2 五类上界", "TODO 2 the five bounds"),
    "concept.knee": Phrase("TODO 3 运行拐点", "TODO 3 the operating knee"),
    "concept.cost-units": Phrase("单位换算", "unit conversion"),
    "concept.cost-memory": Phrase("访存主导", "memory-bound"),
    "concept.cost-compute": Phrase("计算主导", "compute-bound"),
    "concept.cost-tie": Phrase("两边相等", "a tie"),
    "concept.cost-overhead": Phrase("暴露开销", "exposed overhead"),
    "concept.cost-traffic": Phrase("KV 的读与写", "KV read and written"),
    "concept.cost-refuses": Phrase("成本的坏输入", "bad input of the cost"),
    "concept.cost-empty": Phrase("空的一轮", "an empty iteration"),
    "concept.bounds-each": Phrase("五个上界各自生效", "each bound binds alone"),
    "concept.bounds-together": Phrase("几个上界并列", "several bounds bind together"),
    "concept.bounds-shrink": Phrase("KV 上界随上下文和预留收紧", "KV bound shrinks with context and reserve"),
    "concept.bounds-whole": Phrase("只数完整的请求", "whole requests only"),
    "concept.bounds-zero": Phrase("一个也放不下", "not even one fits"),
    "concept.bounds-refuses": Phrase("上界的坏输入", "bad input of the bounds"),
    "concept.knee-saturation": Phrase("吞吐饱和", "saturation"),
    "concept.knee-growing": Phrase("没有饱和", "no saturation"),
    "concept.knee-slo": Phrase("超过 SLO 就停", "stop over the SLO"),
    "concept.knee-single": Phrase("只有一个点", "a single point"),
    "concept.knee-unsorted": Phrase("乱序输入", "unsorted input"),
    "concept.knee-threshold": Phrase("增益正好等于阈值", "gain exactly at the threshold"),
    "concept.knee-zero": Phrase("上一档吞吐为零", "previous throughput zero"),
    "concept.knee-refuses": Phrase("拐点的坏输入", "bad input of the knee"),
    "concept.decision-choice": Phrase("决定：选哪一档", "decision: which row"),
    "concept.decision-evidence": Phrase("决定：依据", "decision: the evidence"),
    # wrong ideas, as clauses: “this is what you get when …”
    "idea.binary_units": Phrase("把 GB 当成 2³⁰ 字节", "GB is taken as 2^30 bytes"),
    "idea.ms_forgotten": Phrase("忘了把秒换成毫秒", "seconds are not turned into milliseconds"),
    "idea.giga_flops": Phrase("把 TFLOPS 当成 10⁹", "TFLOPS is taken as 10^9"),
    "idea.sides_added": Phrase("把访存和计算加在一起", "memory and compute are added"),
    "idea.overhead_inside_max": Phrase(
        "把暴露开销放进了 max 里面", "the exposed overhead is put inside the max"
    ),
    "idea.weights_per_request": Phrase("每个请求各读一遍权重", "the weights are read once per request"),
    "idea.longest_context_only": Phrase("只读最长的那个上下文的 KV", "only the longest context's KV is read"),
    "idea.kv_read_times_batch": Phrase(
        "读 KV 时又乘了一遍 batch", "the KV read is multiplied by the batch once more"
    ),
    "idea.kv_written_for_decode_only": Phrase(
        "只给 decode token 写 KV", "KV is written for decode tokens only"
    ),
    "idea.flops_of_decode_only": Phrase(
        "只算 decode token 的计算量", "only the FLOPs of decode tokens are counted"
    ),
    "idea.tie_called_compute": Phrase("两边相等时判成计算主导", "a tie is called compute"),
    "idea.dominant_with_overhead": Phrase(
        "比较两边时把暴露开销也算了进去", "the sides are compared with the overhead included"
    ),
    "idea.empty_batch_refused": Phrase("拒绝了空的一轮", "an empty iteration is refused"),
    "idea.bad_cost_accepted": Phrase("放过了成本函数的坏输入", "bad input of the cost passes through"),
    "idea.first_binding_only": Phrase(
        "并列的约束只报了第一个", "only the first of several binding constraints is named"
    ),
    "idea.reserved_output_forgotten": Phrase("忘了给输出预留 KV", "the reserved output is forgotten"),
    "idea.rounded_up": Phrase("向上取整", "the bound is rounded up"),
    "idea.rounded_to_nearest": Phrase("四舍五入", "the bound is rounded to the nearest whole number"),
    "idea.token_by_context": Phrase(
        "token 预算除以了上下文，而不是本轮要排的 token",
        "the token budget is divided by the context, not by the scheduled tokens",
    ),
    "idea.zero_raised_to_one": Phrase("把 0 改成了 1", "a bound of 0 is raised to 1"),
    "idea.bad_capacity_accepted": Phrase(
        "放过了不大于 0 的容量", "a capacity that is not above 0 passes through"
    ),
    "idea.threshold_included": Phrase(
        "增益等于阈值也算饱和", "a gain equal to the threshold counts as saturated"
    ),
    "idea.gain_relative_to_current": Phrase(
        "增益除以了当前档而不是上一档", "the gain is taken relative to the current record"
    ),
    "idea.gain_relative_to_first": Phrase(
        "增益除以了第一档而不是上一档", "the gain is taken relative to the first record"
    ),
    "idea.gain_absolute": Phrase("用了绝对增益", "the gain is absolute, not relative"),
    "idea.input_order_trusted": Phrase(
        "没有按 batch 排序", "the input order is trusted instead of sorting by batch"
    ),
    "idea.saturated_record_returned": Phrase(
        "返回了饱和的那一档，而不是它前面那一档", "the saturated record is returned, not the one before it"
    ),
    "idea.slo_record_skipped": Phrase(
        "跳过超过 SLO 的档继续往后看", "a record over the SLO is skipped instead of stopping there"
    ),
    "idea.division_by_zero": Phrase("除以了上一档的零吞吐", "a previous throughput of 0 is divided by"),
    "idea.bad_sweep_accepted": Phrase("放过了拐点函数的坏输入", "bad input of the knee passes through"),
    "idea.knee_taken_for_service": Phrase(
        "把吞吐的拐点当成了服务的拐点", "the knee of throughput is taken for the knee of service"
    ),
    # lesson 2: concepts, wrong ideas, headings
    "concept.boundary": Phrase("TODO 1 计时边界", "TODO 1 the boundary of a timing"),
    "concept.stats": Phrase("TODO 2 样本的统计", "TODO 2 statistics of samples"),
    "concept.kv": Phrase("TODO 3 KV 的字节", "TODO 3 bytes of KV"),
    "concept.capacity": Phrase("TODO 4 容量", "TODO 4 capacity"),
    "concept.goodput": Phrase("TODO 5 goodput", "TODO 5 goodput"),
    "concept.quantile": Phrase("TODO 6 直方图的分位数", "TODO 6 quantile of a histogram"),
    "concept.boundary-ratios": Phrase("两个比值", "the two ratios"),
    "concept.boundary-order": Phrase("按顺序判断", "the rules in order"),
    "concept.boundary-unclear": Phrase("不下结论", "concluding nothing"),
    "concept.boundary-refuses": Phrase("计时的坏输入", "bad input of the timing"),
    "concept.stats-cold": Phrase("冷启动分开", "cold apart from steady"),
    "concept.stats-median": Phrase("中位数", "the median"),
    "concept.stats-rank": Phrase("P95 与 P99 的规则", "the rule for P95 and P99"),
    "concept.stats-few": Phrase("样本不够就说不够", "too few samples are said"),
    "concept.stats-refuses": Phrase("样本的坏输入", "bad input of the samples"),
    "concept.kv-grouped": Phrase("标准 KV", "the standard cache"),
    "concept.kv-window": Phrase("滑动窗口", "sliding windows"),
    "concept.kv-latent": Phrase("MLA", "the latent cache"),
    "concept.kv-quantized": Phrase("量化的 KV", "quantised KV"),
    "concept.kv-refuses": Phrase("KV 的坏输入", "bad input of the KV"),
    "concept.capacity-tokens": Phrase("token 容量", "token capacity"),
    "concept.capacity-none": Phrase("放不下权重", "the weights do not fit"),
    "concept.capacity-blocks": Phrase("最后一块", "the last block"),
    "concept.capacity-refuses": Phrase("容量的坏输入", "bad input of the capacity"),
    "concept.goodput-slo": Phrase("两个门槛", "both limits"),
    "concept.goodput-denominator": Phrase("分母", "the denominator"),
    "concept.goodput-refuses": Phrase("goodput 的坏输入", "bad input of the goodput"),
    "concept.quantile-interpolates": Phrase("桶内插值", "interpolation within a bucket"),
    "concept.quantile-edges": Phrase("两端", "the two ends"),
    "concept.quantile-refuses": Phrase("直方图的坏输入", "bad input of the histogram"),
    "concept.lie-a": Phrase("报告 A", "report A"),
    "concept.lie-b": Phrase("报告 B", "report B"),
    "concept.lie-c": Phrase("报告 C", "report C"),
    "concept.lie-d": Phrase("报告 D", "report D"),
    "concept.lie-e": Phrase("报告 E", "report E"),
    "concept.lie-f": Phrase("报告 F", "report F"),
    "concept.lie-g": Phrase("报告 G", "report G"),
    "concept.lie-h": Phrase("报告 H", "report H"),
    "concept.lie-i": Phrase("报告 I", "report I"),
    "concept.measured-decision": Phrase("测量上的决定", "the decision on the measurement"),
    "concept.decision": Phrase("服务上的决定", "the decision on service"),
    "concept.verdicts": Phrase("TODO 7 九份报告", "TODO 7 nine reports"),
    "concept.measured-choice": Phrase("测量上的决定", "the decision on the measurement"),
    "concept.measured-evidence": Phrase("结果文件能否作证", "whether the result file holds as evidence"),
    "column.aspect": Phrase("观察项", "aspect"),
    "column.fields_read": Phrase("读取字段", "fields read"),
    "column.state": Phrase("状态", "state"),
    "column.meaning": Phrase("解释", "meaning"),
    "column.predicted_ms": Phrase("预测 (ms)", "predicted (ms)"),
    # wrong ideas of lesson 2
    "idea.ratio_upside_down": Phrase("把比值颠倒了", "the ratio is upside down"),
    "idea.synchronized_over_event": Phrase(
        "同步时间除以了 event，而不是两者中较大的",
        "the synchronized time is divided by the event, not by the larger of the two",
    ),
    "idea.rules_out_of_order": Phrase("没有按顺序判断", "the rules are not applied in their order"),
    "idea.unclear_decided": Phrase(
        "证据不够也下了“launch”的结论", "launch is concluded where the evidence does not decide"
    ),
    "idea.unclear_called_device": Phrase(
        "证据不够也下了“device”的结论", "device is concluded where the evidence does not decide"
    ),
    "idea.bad_timing_accepted": Phrase("放过了不大于 0 的时间", "a time that is not above 0 passes through"),
    "idea.cold_in_median": Phrase("冷启动算进了中位数", "cold starts are counted in the median"),
    "idea.mean_for_median": Phrase("用平均数代替了中位数", "the mean is taken for the median"),
    "idea.upper_middle": Phrase(
        "偶数个样本时取了中间偏大的那个", "for an even number of samples the upper middle one is taken"
    ),
    "idea.rank_off_by_one": Phrase("名次差了一位", "the rank is off by one"),
    "idea.interpolated": Phrase("在样本之间插了值", "the percentile is interpolated between samples"),
    "idea.percentile_guessed": Phrase(
        "样本不够也给出了分位数", "a percentile is given although there are too few samples"
    ),
    "idea.bad_samples_accepted": Phrase("放过了坏样本", "bad samples pass through"),
    "idea.keys_only": Phrase("只算了 key，没算 value", "only the keys are counted, not the values"),
    "idea.query_heads_counted": Phrase(
        "用了 query head 数而不是 KV head 数", "query heads are counted instead of KV heads"
    ),
    "idea.window_ignored": Phrase("滑动窗口层也按全长算", "sliding-window layers are counted at full length"),
    "idea.latent_doubled": Phrase(
        "MLA 也乘了 2", "the latent cache is doubled as if it held keys and values"
    ),
    "idea.rope_forgotten": Phrase("忘了位置向量那一段", "the positional part is forgotten"),
    "idea.scales_forgotten": Phrase("忘了 scale", "the scales are forgotten"),
    "idea.bad_shape_accepted": Phrase("放过了坏的形状", "a bad shape passes through"),
    "idea.gb_for_gib": Phrase("把 GiB 当成了 10⁹ 字节", "GiB is taken as 10^9 bytes"),
    "idea.runtime_forgotten": Phrase("忘了运行时占的显存", "the memory of the runtime is forgotten"),
    "idea.utilization_ignored": Phrase("没有乘可用比例", "the utilisation is ignored"),
    "idea.utilization_after_subtraction": Phrase(
        "先减固定部分、再乘可用比例", "the utilisation is applied after the subtraction"
    ),
    "idea.negative_tokens": Phrase("返回了负的 token 数", "a negative number of tokens is returned"),
    "idea.partial_block_shared": Phrase("让两个请求共用了一块", "two requests share a block"),
    "idea.output_not_reserved": Phrase("忘了给输出预留块", "no blocks are reserved for the output"),
    "idea.bad_memory_accepted": Phrase("放过了坏的容量输入", "bad input of the capacity passes through"),
    "idea.survivors_only": Phrase(
        "只统计了完成的请求（幸存者偏差）", "only completed requests are counted (survivor bias)"
    ),
    "idea.tpot_over_all_tokens": Phrase(
        "TPOT 除以了全部输出 token，没有减去第一个",
        "TPOT is divided by all output tokens, the first one included",
    ),
    "idea.e2e_seconds_taken_as_ms": Phrase(
        "把 e2e 的秒当成了毫秒", "the seconds of e2e are taken as milliseconds"
    ),
    "idea.single_token_refused": Phrase(
        "只有一个输出 token 的请求被判不达标", "a request with a single output token is called late"
    ),
    "idea.unfinished_counted_good": Phrase("没完成的请求也算达标", "unfinished requests count as good"),
    "idea.lost_tokens_counted": Phrase(
        "没完成的请求的 token 也算进了吞吐", "tokens of unfinished requests are counted as throughput"
    ),
    "idea.bad_trace_accepted": Phrase("放过了坏的轨迹", "a bad trace passes through"),
    "idea.bucket_bound_returned": Phrase(
        "直接返回了桶的上界，没有插值", "the bucket's bound is returned without interpolation"
    ),
    "idea.infinite_answer": Phrase("返回了无穷", "infinity is returned"),
    "idea.empty_histogram_divided": Phrase("没有请求也去除", "an empty histogram is divided by"),
    "idea.bad_histogram_accepted": Phrase("放过了坏的直方图", "a bad histogram passes through"),
    # headings of lesson 2
    "idea.lie_believed": Phrase("相信了一份有毛病的报告", "a faulty report is believed"),
    "idea.honest_accused": Phrase("冤枉了诚实的报告", "the honest report is accused"),
    "column.submit_over_event": Phrase("submit ÷ event", "submit ÷ event"),
    "column.synchronized_over_larger": Phrase("同步 ÷ 较大者", "synchronized ÷ larger"),
    "column.boundary": Phrase("主导", "dominated by"),
    "column.tokens": Phrase("token 数", "tokens"),
    "column.gap_gb": Phrase("与上一行差 (GB)", "gap to the row above (GB)"),
    "column.requests_that_fit": Phrase("放得下的请求", "requests that fit"),
    "column.arrived": Phrase("到达", "arrived"),
    "column.completed": Phrase("完成", "completed"),
    "column.good": Phrase("达标", "good"),
    "column.good_fraction": Phrase("达标比例", "good fraction"),
    "column.goodput_rps": Phrase("goodput (请求/s)", "goodput (requests/s)"),
    "column.throughput_tokens_per_s": Phrase("吞吐 (token/s)", "throughput (tokens/s)"),
    "column.quantile": Phrase("分位", "quantile"),
    "column.from_histogram_s": Phrase("由直方图 (s)", "from histogram (s)"),
    "column.from_requests_s": Phrase("由明细 (s)", "from requests (s)"),
    # headings of tables
    "column.iteration": Phrase("轮次", "iteration"),
    "column.start_ms": Phrase("开始 (ms)", "start (ms)"),
    "column.waiting": Phrase("排队", "waiting"),
    "column.admitted": Phrase("进入", "admitted"),
    "column.prefill_tokens": Phrase("prefill token", "prefill tokens"),
    "column.decode_tokens": Phrase("decode token", "decode tokens"),
    "column.kv_tokens": Phrase("KV 中的 token", "KV tokens"),
    "column.finished": Phrase("完成", "finished"),
    "column.request": Phrase("请求", "request"),
    "column.first_token_before_ms": Phrase("首 token：原来 (ms)", "first token before (ms)"),
    "column.first_token_after_ms": Phrase("首 token：现在 (ms)", "first token after (ms)"),
    "column.finish_before_ms": Phrase("完成：原来 (ms)", "finish before (ms)"),
    "column.finish_after_ms": Phrase("完成：现在 (ms)", "finish after (ms)"),
    "column.step": Phrase("一步", "step"),
    "column.memory_ms": Phrase("访存 (ms)", "memory (ms)"),
    "column.compute_ms": Phrase("计算 (ms)", "compute (ms)"),
    "column.iteration_ms": Phrase("一轮 (ms)", "iteration (ms)"),
    "column.dominant": Phrase("主导", "dominant"),
    "column.scheduled_tokens": Phrase("排进的 token", "scheduled tokens"),
    "column.memory_bytes": Phrase("搬运 (B)", "moved (B)"),
    "column.kv_read_bytes": Phrase("KV 读 (B)", "KV read (B)"),
    "column.kv_write_bytes": Phrase("KV 写 (B)", "KV written (B)"),
    "column.total_flops": Phrase("计算量 (FLOP)", "FLOP"),
    "column.exposed_overhead_ms": Phrase("暴露开销 (ms)", "exposed overhead (ms)"),
    "column.model": Phrase("模型", "model"),
    "column.weights_gb": Phrase("权重 (GB)", "weights (GB)"),
    "column.kv_bytes_per_token": Phrase("每 token KV (B)", "KV per token (B)"),
    "column.tokens_worth_the_weights": Phrase("抵得上权重的 token 数", "tokens worth the weights"),
    "column.context_tokens": Phrase("上下文 (token)", "context (tokens)"),
    "column.memory_ms_added": Phrase("多出的访存 (ms)", "memory added (ms)"),
    "column.compute_ms_added": Phrase("多出的计算 (ms)", "compute added (ms)"),
    "column.dominant_at_batch_100000": Phrase("batch 100,000 时的主导", "dominant at batch 100,000"),
    "column.batch": Phrase("batch", "batch"),
    "column.measured_ms": Phrase("实测 (ms)", "measured (ms)"),
    "column.composed_ms": Phrase("kernel 相加 (ms)", "sum of kernels (ms)"),
    "column.ledger_ms": Phrase("账本 (ms)", "ledger (ms)"),
    "column.ratio": Phrase("比值", "ratio"),
    "column.max_iteration_ms": Phrase("SLO (ms)", "SLO (ms)"),
    "column.final_limit": Phrase("最终上界", "final limit"),
    "column.binding_constraints": Phrase("生效的约束", "binding"),
    "column.server": Phrase("服务器", "server"),
    "column.kv_limit": Phrase("kv 上界", "kv bound"),
    "column.slot_limit": Phrase("slot 上界", "slot bound"),
    "column.predicted_running": Phrase("预测在跑", "predicted running"),
    "column.measured_running": Phrase("实测在跑", "measured running"),
    "column.threshold": Phrase("增益阈值", "threshold"),
    "column.selected_batch": Phrase("选中的档", "selected"),
    "column.throughput": Phrase("吞吐 (token/s)", "throughput (tokens/s)"),
    "column.stop_reason": Phrase("停下的理由", "stop reason"),
    "column.concurrency": Phrase("并发", "concurrency"),
    "column.requests_per_s": Phrase("请求/s", "requests/s"),
    "column.latency_s": Phrase("每个请求 (s)", "latency (s)"),
    "column.little": Phrase("Little：并发", "Little: concurrency"),
    "column.running": Phrase("真正在跑", "really running"),
    "column.entry": Phrase("键", "entry"),
    "column.value": Phrase("值", "value"),
    "column.question": Phrase("问题", "question"),
    "column.guessed": Phrase("猜的", "guessed"),
    "column.computed": Phrase("算的", "computed"),
    # hardware, models
    "hardware.unknown": Phrase(
        "没有设备 {name} 的数据；现有：{known}。",
        "There are no figures for a device {name}; known: {known}.",
    ),
    "models.unknown": Phrase(
        "没有模型 {name} 的数据；现有：{known}。",
        "There are no figures for a model {name}; known: {known}.",
    ),
    # recorded
    "recorded.unknown": Phrase(
        "没有名为 {name} 的实测数据；现有：{known}。",
        "There is no recorded measurement named {name}; known: {known}.",
    ),
    # lesson 2: faults of a benchmark report
    "fault.failed_requests_dropped": Phrase("丢掉了没完成的请求", "requests that failed are dropped"),
    "fault.first_token_in_itl": Phrase(
        "把等第一个 token 的时间算进了间隔", "the wait for the first token is among the gaps"
    ),
    "fault.gb_for_gib": Phrase("GB 和 GiB 混用", "GB and GiB are mixed"),
    "fault.honest": Phrase("没有问题", "nothing is wrong"),
    "fault.littles_law": Phrase("Little 定律对不上", "Little's law does not close"),
    "fault.no_synchronisation": Phrase("计时没有等设备算完", "the clock stops before the device is done"),
    "fault.prefix_cache_hit": Phrase("重复的提示词命中了前缀缓存", "repeated prompts hit the prefix cache"),
    "fault.warmup_inside_window": Phrase("预热算进了窗口", "the warm-up lies inside the window"),
    "fault.wrong_peak_bandwidth": Phrase("用错了峰值带宽", "the peak bandwidth is another device's"),
    # lesson 2: pages of metrics
    "metrics.unreadable": Phrase("无法读取 {path}：{reason}。", "{path} cannot be read: {reason}."),
    "metrics.not_utf8": Phrase(
        "{where} 第 {line} 行不是 UTF-8 文本。", "{where}, line {line}: not UTF-8 text."
    ),
    "metrics.empty": Phrase("{where} 里没有任何指标。", "{where} holds no metric."),
    "metrics.damaged": Phrase(
        "{where} 第 {line} 行不是 Prometheus 文本格式：{got}。",
        "{where}, line {line}: not the Prometheus text format: {got}.",
    ),
    "metrics.stray": Phrase(
        "{where} 第 {line} 行：{name} 是直方图的一个桶，前面却没有它的 # TYPE 行。",
        "{where}, line {line}: {name} is a bucket without the # TYPE line of its histogram.",
    ),
    "metrics.not_cumulative": Phrase(
        "{where} 第 {line} 行：{name} 的桶必须按上界递增，累计数不得减少。",
        "{where}, line {line}: buckets of {name} must have rising bounds and counts that never fall.",
    ),
    "metrics.bound": Phrase(
        "{where} 第 {line} 行：{name} 的 le 不是数。", "{where}, line {line}: le of {name} is no number."
    ),
    "metrics.not_finite": Phrase(
        "{where} 第 {line} 行：{name} 必须是有限的数，得到 {got}。",
        "{where}, line {line}: {name} must be finite, got {got}.",
    ),
    "metrics.cut": Phrase(
        "{where} 第 {line} 行：{name} 到此中断，缺少 +Inf 桶、_sum 或 _count。",
        "{where}, line {line}: {name} ends here without its +Inf bucket, _sum or _count.",
    ),
    "metrics.count": Phrase(
        "{where} 第 {line} 行：{name} 的 _count 是 {count}，+Inf 桶却是 {last}。",
        "{where}, line {line}: _count of {name} is {count}, its +Inf bucket {last}.",
    ),
    "metrics.unknown": Phrase(
        "页面上没有 {name}；同类指标有：{known}。",
        "There is no {name} on the page; of its kind there are: {known}.",
    ),
    "metrics.no_labels": Phrase(
        "{name} 没有标签为 {got} 的一项；现有：{known}。",
        "{name} has no entry with labels {got}; it has: {known}.",
    ),
    "metrics.several": Phrase(
        "{name} 有多项，请用标签选一项：{known}。", "{name} has several entries; choose by label: {known}."
    ),
    "metrics.other_buckets": Phrase(
        "{name} 与 {other} 不是同一个直方图，桶不同，不能相减。",
        "{name} and {other} are not the same histogram: their buckets differ.",
    ),
    "metrics.restarted": Phrase(
        "{name} 的计数变小了：服务器重启过，两页不能相减。",
        "Counts of {name} fell: the server was restarted, and the pages cannot be subtracted.",
    ),
    # lesson 2: the matrix product
    "gemm.about": Phrase(
        "矩阵乘的三种计时边界，从小到大；随测随存，可断点续测。",
        "A matrix product at three boundaries of time, small to large; saved as it goes, and resumable.",
    ),
    "gemm.help.label": Phrase(
        "这次运行的名字；换一个名字就重新测。", "name of the run; another one measures anew"
    ),
    "gemm.help.results": Phrase("结果放在哪个文件夹", "folder for the results"),
    "gemm.help.rounds": Phrase("每个形状的样本数", "samples for each shape"),
    "gemm.help.warmup": Phrase("每个形状的预热次数", "warm-up calls for each shape"),
    "gemm.help.capacity": Phrase("只打印容量例子，不测", "print the capacity example only, measure nothing"),
    "gemm.seed": Phrase(
        "（容量一行是例子，数字照抄自 {source}。）",
        "(The capacity line is an example, quoted from {source}.)",
    ),
    "gemm.side": Phrase("{name} 必须是正整数，得到 {got}。", "{name} must be a positive integer, got {got}."),
    "gemm.no_shape": Phrase(
        "没有测过 {shape}；测过的有：{known}。", "{shape} was not measured; there are: {known}."
    ),
    "gemm.stray": Phrase("{path} 里的 {shape} 不属于这次运行。", "{shape} in {path} is no part of this run."),
    "gemm.device": Phrase(
        "device 必须是这台机器有的设备（{known}），得到 {got}。",
        "device must be one that this machine has ({known}), got {got}.",
    ),
    "gemm.wrong": Phrase(
        "{shape} 的结果与更高精度的参考相差 {got}，超出容差：先要正确，再谈快慢，没有计时。",
        "{shape} differs from a reference of higher precision by {got}, beyond the tolerance: not timed, "
        "since correctness comes before speed.",
    ),
    "run.other_setting": Phrase(
        "{path} 是另一种条件下测的：{field} 当时是 {was}，现在是 {now}。请换一个 label。",
        "{path} was measured under other conditions: {field} was {was} and is {now}. Choose another label.",
    ),
    "gemm.moment.baseline": Phrase("之前", "before"),
    "gemm.moment.peak": Phrase("临时张量在时的峰值", "peak, with the temporary tensor"),
    "gemm.moment.after": Phrase("删掉之后", "after it is deleted"),
    "column.moment": Phrase("时刻", "moment"),
    "column.allocated_mib": Phrase("allocated (MiB)", "allocated (MiB)"),
    "column.reserved_mib": Phrase("reserved (MiB)", "reserved (MiB)"),
    "column.gemm": Phrase("矩阵乘", "product"),
    "column.submit_us": Phrase("提交 (µs)", "submit (µs)"),
    "column.synchronized_us": Phrase("同步 (µs)", "synchronised (µs)"),
    "column.event_us": Phrase("event (µs)", "event (µs)"),
    "column.gemm_tflops": Phrase("TFLOP/s", "TFLOP/s"),
    # lesson 2: the profiler
    "profiler.about": Phrase(
        "一个请求的 trace：prefill、decode_step 各花多少时间，花在哪些算子上。",
        "The trace of one request: how long prefill and decode_step take, and in which operators.",
    ),
    "profiler.help.label": Phrase(
        "这次运行的名字；换一个名字就重新跑。", "name of the run; another one traces anew"
    ),
    "profiler.help.cost": Phrase(
        "另外测一次 profiler 自己的开销", "also measure what profiling itself costs"
    ),
    "profiler.foreign": Phrase(
        "{path} 不是本课程写的 trace：schema_version 应为 {want}，得到 {got}。",
        "{path} is no trace of this course: schema_version must be {want}, got {got}.",
    ),
    "profiler.no_ranges": Phrase("{path} 里没有区间 {names}。", "{path} holds none of the ranges {names}."),
    "column.operator": Phrase("算子", "operator"),
    "column.calls": Phrase("调用次数", "calls"),
    "column.operator_prefill_ms": Phrase("prefill (ms)", "prefill (ms)"),
    "column.operator_decode_ms": Phrase("decode (ms)", "decode (ms)"),
    "column.self_cpu_ms": Phrase("自身 CPU (ms)", "own CPU time (ms)"),
    "column.self_device_ms": Phrase("kernel (ms)", "kernels (ms)"),
    "column.share": Phrase("占比", "share"),
    "column.range": Phrase("区间", "range"),
    "column.duration_ms": Phrase("时长 (ms)", "duration (ms)"),
    "column.samples": Phrase("样本数", "samples"),
    "column.untraced_ms": Phrase("不开 profiler (ms)", "untraced (ms)"),
    "column.traced_ms": Phrase("开 profiler (ms)", "traced (ms)"),
    # lesson 2: words on its pictures
    "plot.boundaries": Phrase("同一个矩阵乘，三种计时边界", "One product, three boundaries of time"),
    "plot.boundary.submit": Phrase("提交返回", "submit returns"),
    "plot.boundary.synchronized": Phrase("同步 wall-clock", "synchronised wall clock"),
    "plot.boundary.event": Phrase("设备 event", "device events"),
    "plot.time_us": Phrase("时间（µs）", "time (µs)"),
    "plot.mflop": Phrase("矩阵乘的计算量（MFLOP）", "work of the product (MFLOP)"),
    "plot.trace": Phrase("一个请求的 trace", "The trace of one request"),
    "plot.other": Phrase("其余", "others"),
    "plot.lane.request": Phrase("请求", "request"),
    "plot.lane.phases": Phrase("阶段", "phases"),
    "plot.lane.operators": Phrase("算子", "operators"),
    "plot.lane.kernels": Phrase("kernel", "kernels"),
    # plots: words on the pictures
    "plot.batch": Phrase("batch（请求数）", "batch (requests)"),
    "plot.concurrency": Phrase("并发（请求数）", "concurrency (requests)"),
    "plot.context": Phrase("上下文（token）", "context (tokens)"),
    "plot.context_of": Phrase("上下文 {tokens}", "context {tokens}"),
    "plot.batch_in_groups": Phrase("batch（请求数），按上下文分组", "batch (requests), grouped by context"),
    "plot.step_ms": Phrase("一步的时间（ms）", "time of a step (ms)"),
    "plot.prefill_ms": Phrase("prefill 时间（ms）", "prefill time (ms)"),
    "plot.decode_ms": Phrase("decode 一步的时间（ms）", "time of a decode step (ms)"),
    "plot.tokens_per_s": Phrase("吞吐（token/s）", "throughput (tokens/s)"),
    "plot.ttft_ms": Phrase("TTFT（ms）", "TTFT (ms)"),
    "plot.itl_ms": Phrase("ITL（ms）", "ITL (ms)"),
    "plot.step_time": Phrase("一次迭代的账本", "The ledger of one iteration"),
    "plot.weights": Phrase("读权重", "read weights"),
    "plot.kv": Phrase("读写 KV", "read and write KV"),
    "plot.beyond_memory": Phrase("计算超出访存的部分", "compute beyond memory"),
    "plot.overhead": Phrase("暴露开销", "exposed overhead"),
    "plot.compute": Phrase("计算（与访存重叠）", "compute (overlaps memory)"),
    "plot.iteration": Phrase("iteration_ms", "iteration_ms"),
    "plot.bounds": Phrase("五个上界，最小的说了算", "Five bounds, and the smallest decides"),
    "plot.bound": Phrase("batch 上界（请求数）", "bound on the batch (requests)"),
    "plot.bound.slot": Phrase("slot", "slot"),
    "plot.bound.kv": Phrase("KV", "KV"),
    "plot.bound.token": Phrase("token 预算", "token budget"),
    "plot.bound.slo": Phrase("SLO", "SLO"),
    "plot.bound.backend": Phrase("backend", "backend"),
    "plot.final": Phrase("最终上界", "final limit"),
    "plot.knee": Phrase("选中 batch {batch}：{reason}", "Batch {batch}: {reason}"),
    "plot.chosen": Phrase("选中", "chosen"),
    "plot.stop.throughput_saturation": Phrase(
        "再大一档，吞吐增益不到门槛", "the next size gains too little throughput"
    ),
    "plot.stop.slo_violation": Phrase("再大一档，一步的时间超过 SLO", "the next size breaks the SLO"),
    "plot.stop.largest_valid_batch": Phrase("已是测过的最大一档", "no larger size was measured"),
    "plot.slo_ms": Phrase("SLO {ms} ms", "SLO {ms} ms"),
    "plot.over_slo": Phrase("超过 SLO", "over the SLO"),
    "plot.service": Phrase("吞吐的拐点不是服务的拐点", "The knee of throughput is not the knee of service"),
    "plot.averages": Phrase("各点都是平均值", "every point is an average"),
    "plot.within_slos": Phrase("平均值满足两个 SLO", "average within both SLOs"),
    "plot.outside_slos": Phrase("平均值超出 SLO", "average breaks an SLO"),
    "plot.memory_gb": Phrase("KV（实线）与峰值内存（虚线）（GB）", "KV (full) and peak memory (dashed) (GB)"),
    "plot.device_memory": Phrase("设备内存 {gb} GB", "device memory {gb} GB"),
    "plot.measured_over_ledger": Phrase("实测 ÷ 预测（倍）", "measured / predicted (ratio)"),
    "plot.ledger_holds": Phrase("账本说的", "what the ledger says"),
    "plot.rule.has_kv": Phrase("应含 KV 字节的测量", "must hold measured KV bytes"),
    "plot.failed": Phrase("失败", "failed"),
    "plot.measured_end_to_end": Phrase("端到端实测", "measured end to end"),
    "plot.composed_from_kernels": Phrase(
        "由算子时间合成，不是端到端实测", "composed from kernel times, not measured end to end"
    ),
    "plot.recorded_elsewhere": Phrase("他人实测并发表", "measured and published by others"),
    "plot.intensity": Phrase("算术强度（FLOP/byte）", "arithmetic intensity (FLOP/byte)"),
    "plot.attainable": Phrase("可达算力（TFLOP/s）", "attainable compute (TFLOP/s)"),
    "plot.roofline": Phrase("{device} 的 roofline", "Roofline of {device}"),
    "plot.peaks": Phrase("峰值 {tflops} TFLOP/s、{gbps} GB/s", "peaks: {tflops} TFLOP/s and {gbps} GB/s"),
    "plot.ridge": Phrase("脊点 {ridge} FLOP/byte", "ridge {ridge} FLOP/byte"),
    "plot.timeline": Phrase("逐次迭代", "Iteration by iteration"),
    "plot.timeline_names": Phrase(
        "prefill 上方：刚接纳的请求；decode 上方：刚完成的请求",
        "over prefill: just admitted; over decode: just finished",
    ),
    "plot.time_ms": Phrase("时间（ms）", "time (ms)"),
    "plot.prefill_tokens": Phrase("prefill\n（token）", "prefill\n(tokens)"),
    "plot.decode_tokens": Phrase("decode\n（token）", "decode\n(tokens)"),
    "plot.waiting": Phrase("排队\n（请求数）", "waiting\n(requests)"),
    "plot.kv_tokens": Phrase("KV 占用\n（token）", "KV in use\n(tokens)"),
    "plot.kv_capacity": Phrase("容量 {tokens} token", "capacity {tokens} tokens"),
    # plots: what is refused
    "plot.bad": Phrase("{argument} {rule}，得到 {value}。", "{argument} {rule}, got {value}."),
    "plot.rule.not_empty": Phrase("不能为空", "must not be empty"),
    "plot.rule.mapping": Phrase("应为字典", "must be a dictionary"),
    "plot.rule.key": Phrase("应含键 '{key}'", "must have the key '{key}'"),
    "plot.rule.number": Phrase("应为不小于 0 的有限数", "must be a finite number, 0 or more"),
    "plot.rule.positive": Phrase("应为大于 0 的有限数", "must be a finite number above 0"),
    "plot.rule.pair": Phrase("的键应为 (batch, context_tokens)", "must have keys (batch, context_tokens)"),
    "plot.rule.one_of": Phrase("应为以下之一：{choices}", "must be one of {choices}"),
    "plot.rule.point": Phrase("应为 (名称, FLOP, 字节)", "must be (label, flops, bytes)"),
    "plot.rule.has_phase": Phrase("应含 {phase} 的测量", "must hold measurements of {phase}"),
    "plot.rule.batch_known": Phrase("应出现在 records 里", "must be among the records"),
    # experiment and its results
    "workload.positive": Phrase("{name} 必须为正整数，得到 {got}。", "{name} must be positive, got {got}."),
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
    "result.not_comparable": Phrase(
        "两份结果不可比较：{field} 一边是 {a}，另一边是 {b}（还有 {others} 处不同{names}）。",
        "The two results cannot be compared: {field} is {a} in one and {b} in the other "
        "({others} more differ{names}).",
    ),
    "result.not_mergeable": Phrase(
        "这些结果不可合并：{field} 一边是 {a}，另一边是 {b}（还有 {others} 处不同{names}）。",
        "These results cannot be merged: {field} is {a} in one and {b} in the other "
        "({others} more differ{names}).",
    ),
    "result.vary": Phrase(
        "vary 只能列出必须一致的字段，得到 {got}；可用：{known}。",
        "vary must name fields that otherwise must agree, got {got}; there are: {known}.",
    ),
    "result.nothing_to_merge": Phrase("没有给出要合并的结果。", "There is no result to merge."),
    "result.shape_twice": Phrase(
        "形状 {shape} 在两份结果里各测了一次且不相同：合并会掩盖其中一次。",
        "Shape {shape} was measured in two of the results with different figures: merging would hide one.",
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
        "只有 {n} 个样本：P95 就是排序后的第 {rank} 个，它低于真实 P95 的概率是 "
        "{percent}；要 60 个以上才有把握。",
        "Only {n} samples: their P95 is the {rank}th in order, and lies below the true P95 with "
        "probability "
        "{percent}; it takes 60 or more to say.",
    ),
    "timing.wide": Phrase(
        "离散过大：中间一半样本横跨中位数的 {percent}（上限 10 %），不宜据此下结论。",
        "The spread is wide: the middle half of the samples spans {percent} of the median (limit 10 %); "
        "do not conclude from it.",
    ),
    "timing.drift": Phrase(
        "时间在漂移：后三分之一比前三分之一 {percent}。",
        "The times drift: the last third against the first {percent}.",
    ),
    "timing.launch": Phrase(
        "提交耗时是设备耗时的 {ratio} 倍：这一步的快慢由发射（launch）决定，不由设备决定。",
        "Submission takes {ratio} of the device's time: launches set the pace of this step, not the device.",
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
        "看不到 GPU：请在平台设置里打开 GPU 加速器后重启内核；没有 GPU 就用 WORKLOAD_ID = "
        "'inf-iteration-budget-cpu'。",
        "No GPU is visible: switch the accelerator on in the platform's settings and restart the kernel; "
        "without "
        "one use WORKLOAD_ID = 'inf-iteration-budget-cpu'.",
    ),
    "preflight.torch_without_cuda": Phrase(
        "装的是不带 CUDA 的 torch：请安装带 CUDA 的版本；没有 GPU 就用 WORKLOAD_ID = "
        "'inf-iteration-budget-cpu'。",
        "This torch was built without CUDA: install one with CUDA; without a GPU use WORKLOAD_ID = "
        "'inf-iteration-budget-cpu'.",
    ),
    "preflight.no_mps": Phrase(
        "看不到 Apple GPU（MPS）：请用 WORKLOAD_ID = 'inf-iteration-budget-cpu'。",
        "No Apple GPU (MPS) is visible: use WORKLOAD_ID = 'inf-iteration-budget-cpu'.",
    ),
    "preflight.no_kernels": Phrase(
        "{gpu} 是 {arch}，而这个 torch 只含 {built} 的核函数：请换一块 GPU（如 T4），或装一个支持 {arch} 的"
        "旧版 torch。",
        "{gpu} is {arch}, but this torch holds kernels for {built} only: choose another GPU (a T4 for "
        "example) or "
        "an older torch that supports {arch}.",
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
        "连不上 {where}，本地也没有权重：请打开平台的网络开关，或在导入前设 HF_ENDPOINT 为镜像，或用 "
        "modelscope.snapshot_download 下载后把文件夹给 source，或用 weights='random'。",
        "{where} cannot be reached and no weights are here: switch the platform's internet on, or set "
        "HF_ENDPOINT "
        "to a mirror before importing, or download by modelscope.snapshot_download and pass the folder as "
        "source, "
        "or use weights='random'.",
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
        "RUN_MODE 是 'dry_run'：只登记计划。有 GPU 就改为 'real_gpu'，没有就改为 'real_cpu'。",
        "RUN_MODE is 'dry_run': only the plan is shown. Set 'real_gpu' with a GPU, 'real_cpu' without.",
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
        "{place}：Prefill {prefill} ms，Decode {decode} ms{left}",
        "{place}: prefill {prefill} ms, decode {decode} ms{left}",
    ),
    "experiment.line_decode": Phrase(
        "{place}：Decode {decode} ms{left}",
        "{place}: decode {decode} ms{left}",
    ),
    "experiment.line_failed": Phrase("{place}：失败，{why}{left}", "{place}: failed, {why}{left}"),
    "experiment.completed": Phrase("完成：{path}", "Completed: {path}"),
    "experiment.partial": Phrase("部分完成（{path}）", "Partly done ({path})"),
    "experiment.failed": Phrase("没有得到结果（{path}）", "No result ({path})"),
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
        "{where}: these figures are {kind}, not measured.",
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
        "{where}：一步 Decode 等于以 {implied} GB/s 读内存，超过设备峰值 {peak} GB/s。",
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
        "KV bytes are not recorded for each shape: nothing can be said about capacity.",
    ),
    "judge.mechanism_text": Phrase(
        "每 token {per_token} 字节 KV；注意力核：{kernels}；{oom} 个形状内存不足且已恢复；{launch} 个形状由"
        "发射决定快慢。",
        "{per_token} KV bytes per token; attention: {kernels}; {oom} shapes ran out of memory and "
        "recovered; launches set the pace of {launch} shapes.",
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
        "There are no raw samples: medians and P95 cannot be checked.",
    ),
    "judge.resources_text": Phrase(
        "Decode 中位数 {low}–{high} ms，{slow}–{fast} token/s，峰值内存 {peak}；{n} 个形状中 {wide} 个离散"
        "超过 10 %，每个至少 {least} 个样本。",
        "Decode medians {low} to {high} ms, {slow} to {fast} tokens/s, peak memory {peak}; {wide} of {n} "
        "shapes spread by more than 10 %, at least {least} samples each.",
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
    # end of experiment and its results
    # platforms: where results survive
    "platform.note": Phrase(
        "{title}：结果写入 {folder}，{kept}。", "{title}: results go to {folder}, {kept}."
    ),
    "platform.kept.always": Phrase("会保留", "kept"),
    "platform.kept.when_saved": Phrase("点 “Save Version” 后保留", 'kept once you choose "Save Version"'),
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
    "plots.fetching": Phrase("正在取 {package}（图用）…", "fetching {package} (for the pictures) …"),
    "plots.absent": Phrase(
        "没有 matplotlib，这里画不出图：pip install matplotlib。练习和检查不受影响。",
        "No picture here, matplotlib is missing: pip install matplotlib. Exercises and checks work without.",
    ),
    "plots.absent_browser": Phrase(
        "没有取到 matplotlib，这里画不出图：联网后运行 %pip install matplotlib，再运行 import 那一格。"
        "练习和检查不受影响。",
        "No picture here, matplotlib could not be fetched: once online, run %pip install matplotlib, then "
        "the cell with the imports. Exercises and checks work without.",
    ),
    # handing in
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
    # end of handing in
}

CATALOG = Catalog(PHRASES)
say = CATALOG.say
both = CATALOG.both
