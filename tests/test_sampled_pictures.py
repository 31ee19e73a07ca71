"""Pictures of samples show what they are given: three times, draws beside the true value, an order."""

import matplotlib.text
import pytest

from helpers import plots, profiler, recorded, text

ROWS = [
    {"run_us": 1.0, "submit_us": 100.0, "synchronized_us": 109.0, "event_us": 101.0},
    {"run_us": 64.0, "submit_us": 100.0, "synchronized_us": 1293.0, "event_us": 1285.0},
]
DRAWS = {20: [1.0, 2.0, 3.0, 4.0] * 30, 60: [2.5, 3.5] * 60}
SUMMARY = {"cold_us": [900.0], "median_us": 10.5, "percentile_us": None}
PICTURES = {
    "three_ways": lambda: plots.three_ways(ROWS),
    "percentile_draws": lambda: plots.percentile_draws(DRAWS, 3.2),
    "sample_strip": lambda: plots.sample_strip([900.0, 10.0, 11.0], SUMMARY),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_draws_and_no_label_runs_into_another(name, language):
    text.speak(language)
    figure = PICTURES[name]()
    assert figure._repr_png_()[0].startswith(b"\x89PNG")
    figure.draw_without_rendering()
    heights = [axes.yaxis.label.get_window_extent() for axes in figure.axes]
    assert not any(one.overlaps(other) for one in heights for other in heights if one is not other)
    shown = [item for item in figure.findobj(matplotlib.text.Text) if item.get_text() and item.get_visible()]
    assert min(item.get_fontsize() for item in shown) >= 10


def test_the_three_times_stand_over_the_kernels_time():
    text.speak("en")
    (axes,) = plots.three_ways(ROWS).axes
    drawn = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert list(drawn.values()) == [[100.0, 100.0], [109.0, 1293.0], [101.0, 1285.0]]
    assert list(axes.lines[0].get_xdata()) == [1.0, 64.0]


def test_each_panel_says_how_many_draws_lie_below_the_true_value():
    text.speak("en")
    figure = plots.percentile_draws(DRAWS, 3.2)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["20 samples: 75% lie below the true P95", "60 samples: 50% lie below the true P95"]
    assert [set(axes.lines[0].get_xdata()) for axes in figure.axes] == [{3.2}, {3.2}]


def test_a_strip_keeps_cold_starts_apart_and_draws_no_percentile_where_there_is_none():
    text.speak("en")
    (axes,) = plots.sample_strip([900.0, 10.0, 11.0], SUMMARY).axes
    drawn = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert drawn == {"cold start": [900.0], "sample": [10.0, 11.0], "median": [10.5, 10.5]}
    (axes,) = plots.sample_strip([900.0, 10.0, 11.0], SUMMARY | {"percentile_us": 11.0}).axes
    assert axes.lines[-1].get_label() == "percentile"


def test_nothing_to_draw_is_refused():
    text.speak("en")
    for draw in (lambda: plots.three_ways([]), lambda: plots.percentile_draws({}, 1.0)):
        with pytest.raises(ValueError):
            draw()


def test_a_trace_can_be_shown_for_the_time_of_one_step():
    profile = profiler.load(recorded.own("profile"))
    step = profile.ranges_named("decode_step")[0]
    assert plots.trace(profile, zoom=step).axes[0].get_xlim() == (step.start_ms, step.end_ms)
    assert plots.trace(profile).axes[0].get_xlim()[1] > step.end_ms
