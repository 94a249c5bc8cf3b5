"""Where the files of a project disagree, and what would mend it. Pure: an edit is only offered.

The task files are right; what the other files say about them is compared with them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from director.planning.markdown import (
    find_markdown_part,
    list_markdown_headings,
    read_markdown_fields,
    read_markdown_section,
)
from director.planning.project_progress import (
    find_next_task,
    find_project_focus,
    get_progress_name,
    get_step_file,
)
from director.planning.values import (
    CONFIG,
    FOLDER,
    GAMEPLAN,
    STATE,
    VISION,
    Goal,
    PlanStep,
    Project,
    StepTask,
    WorkLocation,
)

_BOX = re.compile(r"^([ \t]*[-*+][ \t]+\[)([^\]\n])(\][ \t]*\**Task[ \t]+(\d+)\b)", re.MULTILINE)
# How far STATE.md says a goal or a step of it is.
_FAR = re.compile(
    r"(\*\*(Steps|Tasks):\*\*[ \t]*)(\d+) of (\d+)|(\bStep[ \t]+(\d+)\b[^\n()]*\()(\d+)/(\d+)"
)
_LISTED = r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]*)?\**{}[ \t]+(\d{{1,9}})\b"
_STUB = re.compile(r"^>.*will be populated", re.MULTILINE)
_STALE = 2
_KEPT = {"Step": "folder", "Task": "file"}
_POSITION = ("current goal", "current step", "current task", "position")


@dataclass(frozen=True, slots=True)
class Drift:
    """One disagreement: the file, what is wrong, how to mend it, and its text as it should be.

    A hint is no disagreement: something is not there yet, or could be better.
    """

    path: str
    said: str
    mend: str
    text: str | None = None
    hint: bool = False


def find_drift(project: Project) -> list[Drift]:
    """Everything in which the files disagree, in the order of the folder."""
    return [
        *_find_refused(project),
        *_unreadable(project),
        *_vision(project),
        *_gameplan(project),
        *_state(project),
        *_research(project),
        *_numbers(f"{FOLDER}/goals", "goal", project.goals),
        *(each for goal in project.goals for each in _goal(project, goal)),
    ]


def _find_refused(project: Project) -> Iterator[Drift]:
    for path in project.folder.refusals:
        yield Drift(
            path, "leads out of the project or is no plain file: it is not read", f"remove {path}"
        )


def _unreadable(project: Project) -> Iterator[Drift]:
    content = project.folder.read(CONFIG)
    try:
        json.loads(content or b"{}")
    except ValueError as error:
        yield Drift(
            CONFIG, f"is not JSON ({error})", "correct it; nothing in it is used until then"
        )
    for path in project.folder.paths:
        text = project.text(path) if path.lower().endswith(".md") else None
        if text and any("\udc80" <= char <= "\udcff" for char in text):
            said = "is no UTF-8: agents are shown bytes that they cannot read"
            yield Drift(path, said, "save it as UTF-8")


def _vision(project: Project) -> Iterator[Drift]:
    text = project.text(VISION)
    if text is None:
        yield Drift(
            VISION,
            "is missing",
            "write what the project is for; `director init` makes a form",
            hint=True,
        )
    elif _STUB.search(text):
        mend = "fill it in, or give `director context interviewer` to an agent"
        yield Drift(VISION, "is still the empty form", mend, hint=True)


def _gameplan(project: Project) -> Iterator[Drift]:
    text = project.text(GAMEPLAN)
    if text is None:
        mend = "write the goals down; `director init` makes a form"
        yield Drift(GAMEPLAN, "is missing", mend, hint=True)
        return
    yield from _find_unlisted(project, text)
    told, focus, then = (
        read_markdown_fields(read_markdown_section(text, "Current Focus")),
        find_project_focus(project),
        find_next_task(project),
    )
    where = then.place
    if told.get("current goal") and where and _behind(where, focus.goal, focus.step):
        right = {
            "current goal": f"Goal {where.goal.number}: {get_progress_name(project, where.goal)}",
            "current step": f"Step {where.step.number}: {get_progress_name(project, where.step)}",
            "next up": get_progress_name(project, where.task),
        }
        step = told.get("current step", "no step")
        said = f"its focus is {told['current goal']}, {step}; next is {where}"
        yield Drift(
            GAMEPLAN, said, "set the focus to the next task", _with(text, "Current Focus", right)
        )


def _find_unlisted(project: Project, text: str) -> Iterator[Drift]:
    """Goals that only one of the two knows: the gameplan's list, the folders."""
    listed = set(
        map(int, re.findall(r"\bGoal[ \t]+(\d{1,9})\b", read_markdown_section(text, "Goals")))
    )
    told = text.casefold()
    named = {
        goal.number for goal in project.goals if get_progress_name(project, goal).casefold() in told
    }
    there = {goal.number for goal in project.goals if goal.number is not None}
    for number in sorted(listed - there):
        yield Drift(
            GAMEPLAN, f"names goal {number}, which has no folder", "plan it, or take it out"
        )
    for number in sorted(there - listed - named):
        yield Drift(
            GAMEPLAN, f"does not name goal {number}, which has a folder", "add it to its goals"
        )


def _behind(where: WorkLocation, goal: Goal | None, step: PlanStep | None) -> bool:
    """Whether the focus is gone or complete; one with open tasks is the user's choice."""
    if goal is None or goal.complete:
        return True
    return step is not None and step.complete and where.step != step


def _state(project: Project) -> Iterator[Drift]:
    text = project.text(STATE)
    where = find_next_task(project).place
    if text is None:
        mend = "`director init` makes a form; contexts do without"
        yield Drift(STATE, "is missing", mend, hint=True)
        return
    told = read_markdown_fields(read_markdown_section(text, "Current Position"))
    if where is None:
        yield from _find_finished(project, told)
    names = (where and get_progress_name(project, where.task)) or ""
    current = told.get("current task", "")
    if where and told and names.casefold() not in current.casefold():
        right = {
            "current goal": f"Goal {where.goal.number}: {get_progress_name(project, where.goal)}",
            "current step": f"Step {where.step.number}: {get_progress_name(project, where.step)}",
            "current task": names,
            "position": str(where).capitalize(),
        }
        said = f"its current task is {current or 'not named'}; next is {where} ({names})"
        # A position without such a line is told in words that only its writer can mend.
        text_then = _with(text, "Current Position", right) if "current task" in told else None
        yield Drift(STATE, said, "set its position to the next task", text_then)
    yield from _progress(project, text)
    activity = read_markdown_section(text, "Recent Activity")
    entries = len(re.findall(r"^[-*] ", activity, re.MULTILINE))
    if entries > 10:
        said = f"has {entries} recent activities, 10 are meant"
        yield Drift(STATE, said, "move the oldest elsewhere", hint=True)


def _find_finished(project: Project, told: Mapping[str, str]) -> Iterator[Drift]:
    """A position at a task, though every task is done."""
    current = told.get("current task", "").casefold()
    for place in project.places():
        if current and get_progress_name(project, place.task).casefold() in current:
            said = f"its current task is {told['current task']}; every task is done"
            yield Drift(STATE, said, "say in its position that all is done")
            return


def _progress(project: Project, text: str) -> Iterator[Drift]:
    """How far STATE.md says each goal is, against the files."""
    found = find_markdown_part(text, "Progress")
    start, end = found or (0, 0)
    inside = text[start:end]
    heads = [one for one in list_markdown_headings(inside) if one.level == 3]
    goals = {goal.number: goal for goal in project.goals if goal.tasks}
    wrong: list[str] = []
    mended = inside[: heads[0].start] if heads else inside
    ends = [one.start for one in heads[1:]] + [len(inside)]
    for head, until in zip(heads, ends, strict=False):
        number = re.match(r"Goal[ \t]+(\d{1,9})\b", head.words)
        goal = goals.get(int(number[1])) if number else None
        block = inside[head.start : until]
        right = _count_tasks(goal, block) if goal else block
        wrong += [f"goal {goal.number}"] if goal and right != block else []
        mended += right
    if wrong:
        said = f"how far it says {', '.join(wrong)} is differs from the files"
        text = text[:start] + mended + text[end:]
        yield Drift(STATE, said, "set its counts by the files", text)


def _count_tasks(goal: Goal, block: str) -> str:
    """What STATE.md says of a goal, with the counts of the files."""
    steps = {step.number: step for step in goal.steps}

    def right(found: re.Match[str]) -> str:
        if found[2] == "Steps":
            return f"{found[1]}{sum(step.complete for step in goal.steps)} of {len(goal.steps)}"
        if found[2] == "Tasks":
            return f"{found[1]}{sum(task.done for task in goal.tasks)} of {len(goal.tasks)}"
        step = steps.get(int(found[6][:9]))
        return f"{found[5]}{step.tasks_done}/{len(step.tasks)}" if step else found[0]

    return _FAR.sub(right, block)


def _research(project: Project) -> Iterator[Drift]:
    """Research that was made before two or more goals were completed."""
    try:
        config = json.loads(project.folder.read(CONFIG) or b"{}")
    except ValueError:
        return
    made = config.get("context_generation") if isinstance(config, dict) else None
    then = made.get("completed_goals_at_generation") if isinstance(made, dict) else None
    now = sum(goal.complete for goal in project.goals)
    if isinstance(then, int) and now - then >= _STALE:
        said = f"research and codebase were written {now - then} completed goals ago"
        yield Drift(f"{FOLDER}/codebase", said, "have them written anew", hint=True)


def _numbers(path: str, kind: str, among: Sequence[Goal | PlanStep | StepTask]) -> Iterator[Drift]:
    """Numbers that are there twice: a task that needs one of them could mean either."""
    for number, times in sorted(Counter(one.number for one in among if one.number).items()):
        if times > 1:
            yield Drift(path, f"{kind} {number} is there {times} times", "give one another number")


def _listing(path: str, text: str, kind: str, there: set[int]) -> Iterator[Drift]:
    """Steps or tasks that only one of the two knows: the list in a file, the folder."""
    listed = set(
        map(
            int,
            re.findall(_LISTED.format(kind), read_markdown_section(text, f"{kind}s"), re.MULTILINE),
        )
    )
    for number in sorted(listed - there) if listed else ():
        said = f"names {kind.lower()} {number}, which has no {_KEPT[kind]}"
        yield Drift(path, said, "plan it, or take it out")
    for number in sorted(there - listed) if listed else ():
        said = f"does not name {kind.lower()} {number}, which has a {_KEPT[kind]}"
        yield Drift(path, said, f"add it to its {kind.lower()}s")


def _goal(project: Project, goal: Goal) -> Iterator[Drift]:
    path = f"{goal.path}/GOAL.md"
    text = project.text(path)
    if text is None:
        yield Drift(path, "is missing", "write what success of this goal looks like", hint=True)
    else:
        yield from _status(goal, path, text)
        yield from _listing(path, text, "Step", {one.number for one in goal.steps if one.number})
    yield from _numbers(goal.path, "step", goal.steps)
    for step in goal.steps:
        yield from _step(project, step)


def _status(goal: Goal, path: str, text: str) -> Iterator[Drift]:
    told = read_markdown_fields(read_markdown_section(text, "Status"))
    done, steps = sum(step.complete for step in goal.steps), len(goal.steps)
    started = any(task.done for task in goal.tasks)
    word = "Complete" if goal.complete else "In progress" if started else "Not started"
    counted = re.match(r"(\d+)\s+of\s+(\d+)", told.get("steps complete", ""))
    wrong = counted and (int(counted[1]), int(counted[2])) != (done, steps)
    progress = told.get("progress", word)
    if goal.tasks and (wrong or progress.casefold().rstrip(".") != word.casefold()):
        count = told.get("steps complete", "no count")
        said = f"says {progress!r}, {count}; {done} of {steps} are complete"
        right = {"progress": word, "steps complete": f"{done} of {steps}"}
        yield Drift(path, said, "correct its status", _with(text, "Status", right))


def _step(project: Project, step: PlanStep) -> Iterator[Drift]:
    path = get_step_file(step)
    text = project.text(path)
    if text is None:
        yield Drift(path, "is missing", "write what this step delivers", hint=True)
    else:
        yield from _boxes(step, path, text)
        yield from _listing(path, text, "Task", {one.number for one in step.tasks if one.number})
    yield from _numbers(f"{step.path}/tasks", "task", step.tasks)
    for task in step.tasks:
        if task.twice:
            open_form = re.sub(r"\.done\.md$", ".md", task.path, flags=re.IGNORECASE)
            yield Drift(
                open_form, "lies beside its done form; the task is done", f"remove {open_form}"
            )
        known = {
            one.words.casefold() for one in list_markdown_headings(project.text(task.path) or "")
        }
        missing = [one for one in ("What To Do", "Done When") if one.casefold() not in known]
        if missing and not task.done:
            yield Drift(task.path, f"has no {' and no '.join(missing)}", "add what is missing")


def _boxes(step: PlanStep, path: str, text: str) -> Iterator[Drift]:
    """The boxes of the tasks against their files."""
    done = {task.number: task.done for task in step.tasks}
    found = find_markdown_part(text, "Tasks")
    if found is None:
        return
    wrong: list[int] = []

    def right(box: re.Match[str]) -> str:
        number = int(box[4][:9])
        if number not in done or (box[2] in "xX") == done[number]:
            return box[0]
        wrong.append(number)
        return f"{box[1]}{'x' if done[number] else ' '}{box[3]}"

    mended = _BOX.sub(right, text[found[0] : found[1]])
    if wrong:
        said = f"the boxes of task {', '.join(map(str, wrong))} differ from the files"
        text = text[: found[0]] + mended + text[found[1] :]
        yield Drift(path, said, "set the boxes by the files", text)


def _with(text: str, heading: str, right: dict[str, str]) -> str:
    """The text with these fields of one section set; fields that are not there stay away."""
    found = find_markdown_part(text, heading)
    start, end = found or (0, 0)

    def line(match: re.Match[str]) -> str:
        value = right.get(match[2].strip().casefold())
        return match[0] if value is None else f"{match[1]}{match[2]}:** {value}"

    mended = re.sub(
        r"^([ \t]*\*\*)([^*\n:]+):\*\*[^\r\n]*", line, text[start:end], flags=re.MULTILINE
    )
    return text[:start] + mended + text[end:]
