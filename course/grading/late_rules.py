"""Late rules: what being late costs, set in `nbgrader_config.py`; a plug-in for nbgrader's own step.

    c.AssignLatePenalties.plugin_class = "course.grading.late_rules.LateRule"
    c.LateRule.free_days = 1        # the first day costs nothing
    c.LateRule.share_a_day = 0.1    # then a tenth of the points earned for each day begun
    c.LateRule.floor = 0.5          # but half of them stay

An own plug-in is a class like this one, named in the same place.
"""

from __future__ import annotations

import math

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

DAY_SECONDS = 86_400


class LateRule(LateSubmissionPlugin):
    """So many days free, then a share or a number of points for each day begun, down to a floor."""

    free_days = Float(0.0, min=0.0, help="Days after the date that cost nothing.").tag(config=True)
    share_a_day = Float(
        0.0, min=0.0, max=1.0, help="Share of the points earned that each further day begun costs."
    ).tag(config=True)
    points_a_day = Float(0.0, min=0.0, help="Points that each further day begun costs.").tag(config=True)
    floor = Float(0.0, min=0.0, max=1.0, help="Share of the points earned that stays in any case.").tag(
        config=True
    )
    last_day = Float(math.inf, min=0.0, help="Days after the date from which on only the floor is left.").tag(
        config=True
    )

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """The points that this hand-in loses; None for one that loses nothing."""
        days = total_seconds_late / DAY_SECONDS
        begun = math.ceil(max(0.0, days - self.free_days))
        lost = begun * (self.share_a_day * score + self.points_a_day)
        lost = score if days > self.last_day else lost
        return min(lost, (1.0 - self.floor) * score) or None
