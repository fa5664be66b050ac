"""The report of an evaluation shows the score's own numbers."""

from __future__ import annotations

from html.parser import HTMLParser

from launch.suite_report import write_suite_report
from qpa.bench import load_suite, make_env, oracle, score
from qpa.bench.checkers import BenchVerifier
from qpa.bench.replay import run_actions, run_now
from qpa.contract import Reply

TASKS = load_suite("core", "dev", 20)


class Cells(HTMLParser):
    """Text of every table row."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "tr":
            self.rows.append([])

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1].append(data)


def test_both_forms_show_every_rate(tmp_path):
    env = make_env(BenchVerifier())
    courses = [oracle(t) if i % 3 else [Reply(text="Done.")] for i, t in enumerate(TASKS)]
    played = [run_now(run_actions(env, t, c)) for t, c in zip(TASKS, courses)]
    found = score(TASKS, played, price_per_million_tokens=2.0)
    assert found.by_language["en"].total == len(TASKS) == sum(r.total for r in found.by_domain.values())
    assert found.by_capability["grounding"].total == sum("grounding" in t.capabilities for t in TASKS)
    write_suite_report(tmp_path, "a <model>", found, {"by_class": {"model/tool": 3}, "by_stop": {"finished": 20}})
    page = (tmp_path / "report.html").read_text()
    text = (tmp_path / "report.md").read_text()
    cells = Cells()
    cells.feed(page)
    assert "a &lt;model&gt;" in page and "a <model>" in text
    rates = {**found.by_dimension, **found.by_family, **found.by_domain, "all": found.success}
    for name, rate in rates.items():
        want = [name, f"{100 * rate.rate:.1f}", f"{100 * rate.low:.1f}-{100 * rate.high:.1f}"]
        assert [*want, str(rate.successes), str(rate.total)] in [row[:5] for row in cells.rows], name
        assert f"| {name} | {want[1]} | {want[2]} | {rate.successes} | {rate.total} |" in text
    assert ["model/tool", "3"] in [row[:2] for row in cells.rows]
    cost = f"{found.cost_per_1000_tasks:.4f}"
    assert f"| USD per 1,000 tasks, thinking included | {cost} |" in text
