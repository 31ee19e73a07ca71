"""Recorded measurements: devices, models, faults of a report, pages of metrics."""

from helpers.text.phrase import Phrase

PHRASES = {
    "hardware.unknown": Phrase(
        "没有设备 {name} 的数据；现有：{known}。",
        "There are no figures for a device {name}; known: {known}.",
    ),
    "models.unknown": Phrase(
        "没有模型 {name} 的数据；现有：{known}。",
        "There are no figures for a model {name}; known: {known}.",
    ),
    "recorded.unknown": Phrase(
        "没有名为 {name} 的实测数据；现有：{known}。",
        "There is no recorded measurement named {name}; known: {known}.",
    ),
    "fault.failed_requests_dropped": Phrase(
        "丢掉了没完成的请求",
        "requests that did not complete are dropped",
    ),
    "fault.first_token_in_itl": Phrase(
        "把等第一个 token 的时间算进了间隔", "the wait for the first token is among the gaps"
    ),
    "fault.gb_for_gib": Phrase("GB 和 GiB 混用", "GB and GiB are mixed"),
    "fault.honest": Phrase("没有问题", "nothing is wrong"),
    "fault.littles_law": Phrase(
        "Little 定律对不上",
        "Little's law does not hold",
    ),
    "fault.no_synchronisation": Phrase("计时没有等设备算完", "the clock stops before the device is done"),
    "fault.prefix_cache_hit": Phrase("重复的提示词命中了前缀缓存", "repeated prompts hit the prefix cache"),
    "fault.warmup_inside_window": Phrase("预热算进了窗口", "the warm-up lies inside the window"),
    "fault.wrong_peak_bandwidth": Phrase(
        "用错了峰值带宽",
        "the wrong peak bandwidth is used",
    ),
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
        "{name} and {other} are not the same histogram: their buckets differ, and they cannot be subtracted.",
    ),
    "metrics.restarted": Phrase(
        "{name} 的计数变小了：服务器重启过，两页不能相减。",
        "Counts of {name} fell: the server was restarted, and the pages cannot be subtracted.",
    ),
}
