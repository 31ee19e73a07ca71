"""Wrong ideas, as clauses after “this is what you get when …”."""

from helpers.text.phrase import Phrase

PHRASES = {
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
    "idea.tie_called_compute": Phrase("两边相等时判成计算受限", "a tie is called compute"),
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
    "idea.lie_believed": Phrase("相信了一份有毛病的报告", "a faulty report is believed"),
    "idea.honest_accused": Phrase("冤枉了诚实的报告", "the honest report is accused"),
}
