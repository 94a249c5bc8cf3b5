"""Any plan that could be, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from director.workflow.plan import STATUSES, Phase, Plan, Task
from director.workflow.plan_rules import compute_phase_status

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(str.strip)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Any plan that can be taken."""
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    number = iter(range(1, 100))
    phases = tuple(_phase(draw, name, number) for name in names)
    return Plan(
        overall_goal=draw(texts),
        current_phase=draw(st.sampled_from(names)),
        phases=phases,
        next_actions=tuple(draw(st.lists(texts, max_size=3))),
        blockers=tuple(draw(st.lists(texts, max_size=2))),
        notes=draw(st.text(max_size=40)),
        workflow_id=draw(st.text(max_size=8)),
        plan_version=draw(st.integers(0, 99)),
    )


def _phase(draw: st.DrawFn, name: str, number: object) -> Phase:
    tasks = tuple(
        Task(
            task_id=next(number),
            description=draw(texts),
            status=draw(st.sampled_from(STATUSES)),
            notes=draw(st.text(max_size=10)),
            node_ids=tuple(draw(st.lists(st.sampled_from("n1 n2 n3".split()), unique=True))),
        )
        for _ in range(draw(st.integers(0, 3)))
    )
    return Phase(name, compute_phase_status(tasks), tasks)
