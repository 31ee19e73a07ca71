"""Pages of metrics: against prometheus_client and the recorded requests; what is damaged, by line."""

import csv
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

import helpers.recorded
from course.lessons.serving_requests import metrics_pages
from helpers import metrics, recorded, text

FOLDER = Path(helpers.recorded.__file__).parent
END, AT_60_S = "rtx4090-llama-3.1-8b", "rtx4090-llama-3.1-8b-at-60s"
LINES = recorded.metrics_page(AT_60_S).read_text(encoding="utf-8").splitlines()


@pytest.fixture(autouse=True)
def _english():
    text.speak("en")


def requests():
    with (FOLDER / "vllm_rtx4090_llama-3.1-8b_requests.csv").open(encoding="utf-8", newline="") as file:
        return [{key: float(row[key]) for key in row if key != "request_id"} for row in csv.DictReader(file)]


def read(name):
    return metrics.read(recorded.metrics_page(name))


def test_the_shipped_pages_are_what_the_generator_builds():
    for name, time_s in metrics_pages.PAGES.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == metrics_pages.page(time_s)
    assert {recorded.metrics_page(name).name for name in recorded.metrics_pages()} == set(metrics_pages.PAGES)


def test_a_page_says_that_it_was_not_scraped():
    for name in recorded.metrics_pages():
        assert recorded.metrics_page(name).read_text(encoding="utf-8").startswith("# Not scraped")


def observed(values, bounds):
    """The buckets that prometheus_client itself counts."""
    registry = CollectorRegistry()
    histogram = Histogram("h", "h", buckets=bounds, registry=registry)
    for value in values:
        histogram.observe(value)
    (family, *_) = text_string_to_metric_families(generate_latest(registry).decode())
    return tuple((float(s.labels["le"]), int(s.value)) for s in family.samples if s.name.endswith("_bucket"))


@pytest.mark.parametrize(("name", "time_s"), [(END, 184.0), (AT_60_S, 60.0)])
def test_buckets_are_those_that_prometheus_client_counts_of_the_recorded_requests(name, time_s):
    page, rows = read(name), requests()
    started = [r["ttft_s"] for r in rows if r["arrival_s"] + r["ttft_s"] <= time_s]
    finished = [r for r in rows if r["arrival_s"] + r["e2e_s"] <= time_s]
    per_token = [(r["e2e_s"] - r["ttft_s"]) / (r["output_tokens"] - 1) for r in finished]
    for metric, values, bounds in (
        ("time_to_first_token_seconds", started, metrics_pages.TTFT_BOUNDS_S),
        ("request_time_per_output_token_seconds", per_token, metrics_pages.TOKEN_BOUNDS_S),
        ("e2e_request_latency_seconds", [r["e2e_s"] for r in finished], metrics_pages.REQUEST_BOUNDS_S),
        ("request_queue_time_seconds", [r["queue_s"] for r in finished], metrics_pages.REQUEST_BOUNDS_S),
        ("request_generation_tokens", [r["output_tokens"] for r in finished], metrics_pages.LENGTH_BOUNDS),
        ("request_prompt_tokens", [r["input_tokens"] for r in finished], metrics_pages.LENGTH_BOUNDS),
    ):
        histogram = page.histogram(f"vllm:{metric}")
        assert histogram.buckets == observed(values, bounds), metric
        assert histogram.count == len(values)
        assert histogram.sum == pytest.approx(sum(values))
        assert histogram.mean == pytest.approx(sum(values) / len(values))


def test_at_60_s_most_requests_are_in_no_histogram():
    page = read(AT_60_S)
    assert page.gauge("vllm:num_requests_running") == 37
    assert page.gauge("vllm:num_requests_waiting") == 191
    assert page.gauge("vllm:kv_cache_usage_perc") == 1.0
    assert page.histogram("vllm:time_to_first_token_seconds").count == 117
    assert page.counter("vllm:request_success_total") == 72
    assert page.counter("vllm:request_success_total", finished_reason="length") == 72


def test_the_last_page_counts_every_request_and_token():
    page = read(END)
    assert page.counter("vllm:request_success_total") == 300
    assert page.counter("vllm:request_success_total", finished_reason="abort") == 0
    assert page.counter("vllm:generation_tokens_total") == 195_753
    assert page.counter("vllm:prompt_tokens_total") == 257_239
    assert page.gauge("vllm:num_requests_running") == 0


def test_bucket_bounds_are_vllms():
    """As in vllm/v1/metrics/loggers.py of vLLM."""
    bounds = [bound for bound, _ in read(END).histogram("vllm:time_to_first_token_seconds").buckets]
    assert bounds[:4] == [0.001, 0.005, 0.01, 0.02]
    assert bounds[-4:] == [160.0, 640.0, 2560.0, float("inf")]
    assert len(bounds) == 23
    per_token = read(END).histogram("vllm:request_time_per_output_token_seconds").buckets
    assert [bound for bound, _ in per_token][:5] == [0.01, 0.025, 0.05, 0.075, 0.1]
    assert len(per_token) == 20
    lengths = read(END).histogram("vllm:request_prompt_tokens").buckets
    assert [bound for bound, _ in lengths][-3:] == [10_000, 20_000, float("inf")]


def test_what_came_between_two_pages():
    name = "vllm:time_to_first_token_seconds"
    between = read(END).histogram(name).since(read(AT_60_S).histogram(name))
    assert between.count == 183
    assert dict(between.buckets)[40.0] == 0
    assert dict(between.buckets)[80.0] == 66
    with pytest.raises(metrics.MetricsError, match="the server was restarted"):
        read(AT_60_S).histogram(name).since(read(END).histogram(name))
    with pytest.raises(metrics.MetricsError, match="not the same histogram"):
        read(END).histogram(name).since(read(END).histogram("vllm:e2e_request_latency_seconds"))


def changed(number, line):
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]])


def line_of(start):
    return next(number for number, line in enumerate(LINES, start=1) if line.startswith(start))


TTFT = "vllm:time_to_first_token_seconds"


@pytest.mark.parametrize(
    ("start", "line", "message"),
    [
        (f"{TTFT}_bucket", f'{TTFT}_bucket{{le="0.001"', "not the Prometheus text format"),
        (f"{TTFT}_bucket", "<html>", "not the Prometheus text format"),
        (f"{TTFT}_bucket", f'{TTFT}_bucket{{le="0.001"}} many', "not the Prometheus text format"),
        (f'{TTFT}_bucket{{engine="0",le="5.0"', f'{TTFT}_bucket{{engine="0",le="5.0",model_name="meta-llama/'
         'Llama-3.1-8B"} 3.0', "counts that never fall"),
        (f'{TTFT}_bucket{{engine="0",le="5.0"', f'{TTFT}_bucket{{engine="0",le="5.0",model_name="meta-llama/'
         'Llama-3.1-8B"} NaN', "must be finite, got nan"),
        (f'{TTFT}_bucket{{engine="0",le="5.0"', f'{TTFT}_bucket{{engine="0",le="wide",model_name="meta-llama/'
         'Llama-3.1-8B"} 41.0', "le of .* is no number"),
        (f"{TTFT}_count", f'{TTFT}_count{{engine="0",model_name="meta-llama/Llama-3.1-8B"}} 118.0',
         "_count of .* is 118, its .Inf bucket 117"),
    ],
)  # fmt: skip
def test_a_damaged_page_names_the_line(start, line, message):
    number = line_of(start)
    with pytest.raises(metrics.MetricsError, match=message) as caught:
        metrics.parse(changed(number, line), "m.prom")
    assert f"m.prom, line {caught.value.line}:" in str(caught.value)
    assert caught.value.line == number or "_count" in start


def test_a_page_cut_off_names_its_last_line():
    cut = line_of(f"{TTFT}_bucket") + 9
    with pytest.raises(metrics.MetricsError, match=rf"line {cut}: {TTFT} ends here without"):
        metrics.parse("\n".join(LINES[:cut]))


def test_a_bucket_without_its_type_is_refused():
    content = "\n".join(line for line in LINES if not line.startswith(f"# TYPE {TTFT}"))
    with pytest.raises(metrics.MetricsError, match=f"{TTFT}_bucket is a bucket without"):
        metrics.parse(content)


def test_what_is_no_page_is_refused(tmp_path):
    with pytest.raises(metrics.MetricsError, match="page holds no metric"):
        metrics.parse("# a comment\n\n")
    with pytest.raises(metrics.MetricsError, match="cannot be read"):
        metrics.read(tmp_path / "none.prom")
    (tmp_path / "binary.prom").write_bytes(b"# HELP a b\na 1\n\xff\xfe\n")
    with pytest.raises(metrics.MetricsError, match="line 3: not UTF-8"):
        metrics.read(tmp_path / "binary.prom")
    text.speak("zh")
    with pytest.raises(metrics.MetricsError, match="第 1 行不是 Prometheus 文本格式"):
        metrics.parse("hello world, not a page")


def test_labels_choose_among_several():
    content = (
        "# TYPE g gauge\n"
        'g{engine="0"} 1\n'
        'g{engine="1"} 2\n'
        "# TYPE h histogram\n"
        'h_bucket{engine="0",le="1"} 1\nh_bucket{engine="0",le="+Inf"} 2\n'
        'h_count{engine="0"} 2\nh_sum{engine="0"} 3\n'
        'h_bucket{engine="1",le="1"} 0\nh_bucket{engine="1",le="+Inf"} 0\n'
        'h_count{engine="1"} 0\nh_sum{engine="1"} 0\n'
    )
    page = metrics.parse(content)
    assert page.gauge("g", engine="1") == 2
    assert page.histogram("h", engine="0").buckets == ((1.0, 1), (float("inf"), 2))
    assert page.histogram("h", engine="1").mean is None
    assert page.names == ("h", "g")
    with pytest.raises(metrics.MetricsError, match="g has several entries"):
        page.gauge("g")
    with pytest.raises(metrics.MetricsError, match="no entry with labels"):
        page.gauge("g", engine="2")
    with pytest.raises(metrics.MetricsError, match="no 'x' on the page; of its kind there are: g"):
        page.gauge("x")


def test_a_page_cut_inside_its_last_number_is_not_read_as_another_number():
    page = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1206\n"
    assert metrics.parse(page).gauges[0].value == 1206
    text.speak("en")
    with pytest.raises(metrics.MetricsError, match="line 2: the page ends before the end of its line"):
        metrics.parse(page[:-2])
