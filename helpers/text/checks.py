"""What a check says: expected, got, and what is wrong with an answer."""

from helpers.text.phrase import Phrase

PHRASES = {
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
    "check.said": Phrase("{message}", "{message}"),
    "check.todo": Phrase("TODO 还空着。", "The TODO is still empty."),
    "check.student_error": Phrase("你的代码抛出了 {got}。", "Your code raised {got}."),
    "check.changed_input": Phrase(
        "函数改动了传入的数据；请先复制再排序或修改。",
        "The function changed the data it was given; copy before you sort or modify.",
    ),
}
