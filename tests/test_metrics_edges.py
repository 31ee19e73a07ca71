"""Values that a page may well hold, and that end no page."""

import math

import pytest

from helpers import metrics


def test_a_gauge_that_is_nan_is_one_value_and_the_next_is_read():
    page = metrics.parse("# TYPE a gauge\na NaN\n# TYPE b gauge\nb 2\n")
    assert math.isnan(page.gauge("a"))
    assert page.gauge("b") == 2.0


def test_a_counter_that_is_nan_is_refused():
    with pytest.raises(metrics.MetricsError):
        metrics.parse("# TYPE a_total counter\na_total NaN\n")
