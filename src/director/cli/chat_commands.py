"""What begins with a slash in `director chat`: looking at the state, and changing how to go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from director.agent import choose_workflow_model, start_current_thread
from director.agent.conversation.current_thread import leave_turn_out_of_thread
from director.agent.model_choice import (
    NO,
    choose_background,
    get_session_model_choice,
    is_background,
)
from director.agent.turn_context import gather_turn_context
from director.cli.chat_room import Room
from director.cli.chat_secrets import enter_secret, purge_from_store
from director.cli.chat_text import context_table
from director.cli.inputs import read_typed
from director.cli.outline import outline
from director.errors import DirectorError
from director.models.names import parse_model_name
from director.models.servers import accept_server
from director.models.windows import choose_window
from director.profiles import load_profile
from director.sections.section_texts import read_system_prompt, render_section_text
from director.services.approvals import (
    answer_origin,
    answer_requested_effect,
    list_effects,
    list_origins,
)
from director.services.compression import compress_conversation
from director.settings import load_settings

if TYPE_CHECKING:
    from director.sections.workflow_state import WorkflowState


class Leave(Exception):
    """The user leaves."""


def obey(room: Room, text: str) -> None:
    """Do what a line that begins with a slash says."""
    name, _, rest = text[1:].strip().partition(" ")
    found = COMMANDS.get(name.lower())
    if found is None:
        room.screen.say(f"There is no /{name}. /help lists what there is.")
        return
    try:
        found[0](room, rest.strip())
    except DirectorError as problem:
        room.trouble(problem)
    except KeyboardInterrupt:
        room.screen.say("Stopped.", "yellow")


def _help(room: Room, _: str) -> None:
    room.screen.lines(f"  /{name:<10} {says}" for name, (_do, says) in COMMANDS.items())
    room.screen.line("  Ctrl-C stops a turn and keeps the conversation; Ctrl-D leaves.")


def _plan(room: Room, _: str) -> None:
    _section(room, "plan", "There is no plan yet.")


def _variables(room: Room, _: str) -> None:
    _section(room, "variables", "There are no variables yet.")


def _section(room: Room, name: str, none: str) -> None:
    state: WorkflowState = room.run(gather_turn_context(room.desk))
    found = render_section_text(name, state)
    text = found.text if found else ""
    inner = "\n".join(text.splitlines()[1:-1])
    room.screen.lines((inner or none).splitlines())


def _nodes(room: Room, _: str) -> None:
    room.screen.lines(outline(room.workspace, room.workflow).splitlines())


def _context(room: Room, _: str) -> None:
    last = room.last_request
    if last is None:
        room.screen.say("Nothing was asked yet. /system shows what stands at the beginning.")
        return
    room.screen.line(f"Request {last.version}, to {last.body['model']}:")
    room.screen.lines(context_table(last.body, at=room.compress_at, width=room.screen.width), "dim")
    exact = f"director request show {last.version} --raw --thread {room.thread}{room.elsewhere}"
    room.screen.say(f"Byte for byte: {exact}", "dim")


def _compress(room: Room, _: str) -> None:
    done = room.run(compress_conversation(room.workspace, room.thread))
    room.screen.say(done.says, "magenta")
    if done.entry is None:
        return
    room.screen.say(done.written, "dim")
    undo = f"--workflow {room.workflow} --restore {done.entry}{room.elsewhere}"
    room.screen.say("Nothing is lost: the messages are archived. To undo it:", "magenta")
    room.screen.say(f"  director compress {undo}", "dim")


def _new(room: Room, _: str) -> None:
    start_current_thread(room.store, room.workflow)
    room.question = None
    room.screen.say("A new conversation about the same workflow. The older one stays readable.")


def _retry(room: Room, rest: str) -> None:
    room.again(rest)


def _drop(room: Room, rest: str) -> None:
    if not rest.isdecimal():
        room.screen.say("Say which turn, by its number: /drop 7. /context and errors name them.")
        return
    gone = leave_turn_out_of_thread(room.store, room.thread, int(rest))
    told = ", ".join(map(str, gone))
    room.screen.say(f"Left out of all that is sent from now on: {told}. It stays in the store.")


def _model(room: Room, rest: str) -> None:
    if rest:
        parse_model_name(rest)
        if server := accept_server(rest):
            room.screen.say(f"{server} is accepted on this machine now.", "dim")
        room.desk.talking(rest)
        choose_workflow_model(room.store, room.workflow, model=rest)
    talking = get_session_model_choice(room.desk)[0]
    room.screen.say(f"The model is {talking.name}{room.window_of(talking)}.")


def _background(room: Room, rest: str) -> None:
    talking = get_session_model_choice(room.desk)[0]
    if not talking.capabilities.background:
        room.screen.say(NO)
    elif rest in ("on", "off"):
        choose_background(talking.name, on=rest == "on")
        room.desk.settings = load_settings()
    elif rest == "next":
        room.desk.background = True
        room.screen.say("The next message is answered in the background.")
        return
    word = "on" if is_background(load_settings(), talking.name) else "off"
    room.screen.say(f"In the background for {talking.name}: {word}.")


def _window(room: Room, rest: str) -> None:
    talking = get_session_model_choice(room.desk)[0]
    if rest:
        tokens = rest.replace(",", "").replace("_", "")
        if not tokens.isdecimal():
            room.screen.say("Say how many tokens: /window 32768; /window 0 takes it back.")
            return
        choose_window(talking.name, int(tokens))
        room.run(room.desk.forget_model(talking.name))
        talking = get_session_model_choice(room.desk)[0]
    room.screen.say(f"{talking.name}{room.window_of(talking)}.")


def _profile(room: Room, rest: str) -> None:
    if rest:
        load_profile(rest)
        choose_workflow_model(room.store, room.workflow, profile=rest)
    chosen = get_session_model_choice(room.desk)[1]
    room.screen.say(f"The profile is {chosen.name}: {chosen.says}.")


def _system(room: Room, _: str) -> None:
    room.screen.lines(read_system_prompt("system").splitlines())


def _run(room: Room, rest: str) -> None:
    room.run_workflow(read_typed(rest, room.desk.now().inputs))


def _origins(room: Room, _: str) -> None:
    listed = list_origins(room.workspace, room.workflow)
    room.screen.lines(f"  {one.state:<9} {one.origin}  {one.why}".rstrip() for one in listed)
    shown = list_effects(room.workspace, room.workflow)
    room.screen.lines(f"  {one.state:<9} {one}" for one in shown)
    if not listed and not shown:
        room.screen.say("No site was asked for yet.")


def _approve(room: Room, rest: str) -> None:
    _answer(room, rest, "approved")


def _refuse(room: Room, rest: str) -> None:
    _answer(room, rest, "refused")


def _answer(room: Room, name: str, said: Literal["approved", "refused"]) -> None:
    """The user's own word on an origin, or on what a node does once, whatever was said before."""
    keys = [
        one.key
        for one in list_effects(room.workspace, room.workflow)
        if name in (one.name, one.key)
    ]
    if keys:
        for key in keys:
            answer_requested_effect(room.workspace, room.workflow, key, answer=said)
    elif "://" in name:
        answer_origin(room.workspace, room.workflow, name, answer=said)
    else:
        room.screen.say("Name an origin such as https://shop.example, or a node: see /origins.")
        return
    room.screen.say(f"{name} is {said}.")


def _quit(_room: Room, _: str) -> None:
    raise Leave


COMMANDS: dict[str, tuple[Callable[[Room, str], None], str]] = {
    "help": (_help, "this"),
    "plan": (_plan, "the plan, with the status of each task"),
    "nodes": (_nodes, "the workflow, node by node"),
    "variables": (_variables, "what the tests have kept so far"),
    "context": (_context, "what the last request was made of, in tokens"),
    "compress": (
        _compress,
        "put a checked summary in the place of what was said; it can be undone",
    ),
    "run": (
        _run,
        "run the workflow without a model; /run name=value gives inputs (spaces too)",
    ),
    "retry": (_retry, "say the last message again, or another in its place: /retry TEXT"),
    "drop": (_drop, "leave a turn out of all that is sent, by its number: /drop 7"),
    "origins": (_origins, "the sites and effects that were asked for, and what you said to each"),
    "approve": (_approve, "approve a site or what a node does: /approve https://shop.example"),
    "refuse": (_refuse, "refuse a site or what a node does; it stands until you approve"),
    "secret": (
        enter_secret,
        "enter a secret, hidden: /secret shop_password https://shop.example",
    ),
    "purge": (
        purge_from_store,
        "remove the value of a secret from all that is stored: /purge NAME",
    ),
    "new": (_new, "begin a new conversation about the same workflow"),
    "model": (_model, "which model answers; /model NAME chooses another"),
    "window": (_window, "the window of the model; /window 32768 sets it, /window 0 takes it back"),
    "background": (
        _background,
        "let the model answer in the background: on, off, or next for one message",
    ),
    "profile": (_profile, "who sees what; /profile structured, structured_cached or clean"),
    "system": (_system, "the system prompt, as the model reads it"),
    "quit": (_quit, "leave"),
}
