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


TWO_ENGINES = """# TYPE process_start_time_seconds gauge
process_start_time_seconds {start}
# TYPE tokens_total counter
tokens_total{{engine="0",finished_reason="stop"}} {first}
tokens_total{{engine="0",finished_reason="length"}} 5
tokens_total{{engine="1",finished_reason="stop"}} 7
# TYPE wait_seconds histogram
wait_seconds_bucket{{engine="0",le="1.0"}} 2
wait_seconds_bucket{{engine="0",le="+Inf"}} {waited}
wait_seconds_sum{{engine="0"}} 4.5
wait_seconds_count{{engine="0"}} {waited}
wait_seconds_bucket{{engine="1",le="1.0"}} 1
wait_seconds_bucket{{engine="1",le="+Inf"}} 1
wait_seconds_sum{{engine="1"}} 0.5
wait_seconds_count{{engine="1"}} 1
"""


def page(first: float = 10, waited: int = 3, start: float = 1e9) -> metrics.MetricsPage:
    return metrics.parse(TWO_ENGINES.format(first=first, waited=waited, start=start))


def test_several_engines_are_added_only_when_asked():
    assert page().counter("tokens_total", engine="0") == 15
    with pytest.raises(metrics.MetricsError, match="added=True"):
        page().counter("tokens_total")
    assert page().counter("tokens_total", added=True) == 22
    with pytest.raises(metrics.MetricsError, match="added=True"):
        page().histogram("wait_seconds")
    both = page().histogram("wait_seconds", added=True)
    assert both.buckets == ((1.0, 3), (math.inf, 4))
    assert (both.sum, both.count, dict(both.labels)) == (5.0, 4, {})


def test_pages_are_subtracted_counter_by_counter():
    between = page(first=14, waited=8).since(page())
    assert between.counter("tokens_total", engine="0") == 4
    assert between.counter("tokens_total", engine="1") == 0
    assert between.histogram("wait_seconds", engine="0").buckets == ((1.0, 0), (math.inf, 5))
    assert between.gauge("process_start_time_seconds") == 1e9


def test_a_server_started_anew_is_told_though_its_counts_are_higher():
    with pytest.raises(metrics.MetricsError, match="process_start_time_seconds"):
        page(first=100, waited=50, start=1e9 + 60).since(page())
    with pytest.raises(metrics.MetricsError):
        page(first=9).since(page())


def test_what_came_up_later_counts_whole():
    new = metrics.parse("# TYPE a_total counter\na_total 3\n")
    assert new.since(metrics.parse("# TYPE b gauge\nb 2\n")).counter("a_total") == 3


OPEN = """# TYPE tokens counter
# UNIT tokens tokens
tokens_total 17.0 # {trace_id="x"} 1.0
tokens_created 1700000000.0
# TYPE wait_seconds histogram
# UNIT wait_seconds seconds
wait_seconds_bucket{le="1.0"} 2
wait_seconds_bucket{le="+Inf"} 3
wait_seconds_count 3
wait_seconds_sum 4.5
# EOF"""


def test_an_openmetrics_page_is_read():
    for text in (OPEN, f"{OPEN}\n"):
        read = metrics.parse(text.replace("# UNIT tokens tokens\n", ""))
        assert read.counter("tokens_total") == 17
        assert [counter.name for counter in read.counters] == ["tokens_total"]
        assert read.histogram("wait_seconds").buckets == ((1.0, 2), (math.inf, 3))


def test_what_prometheus_client_itself_writes_is_read():
    import prometheus_client
    from prometheus_client.openmetrics.exposition import generate_latest

    registry = prometheus_client.CollectorRegistry()
    prometheus_client.Counter("tokens", "所有 token", registry=registry).inc(17)
    prometheus_client.Histogram("wait_seconds", "w", buckets=(1, 10), registry=registry).observe(2)
    prometheus_client.Gauge("kv", "k", registry=registry).set(0.25)
    for written in (prometheus_client.generate_latest(registry), generate_latest(registry)):
        read = metrics.parse(written.decode())
        assert read.counter("tokens_total") == 17
        assert read.histogram("wait_seconds").buckets == ((1.0, 0), (10.0, 1), (math.inf, 1))
        assert read.gauge("kv") == 0.25


def test_only_a_line_feed_ends_a_line():
    text = '# TYPE a gauge\na{model="x\u2028y\x0bz\x85"} 2\n'
    assert metrics.parse(text).gauge("a") == 2
