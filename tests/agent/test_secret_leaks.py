"""A password that was typed into the chat: sent once, and from the moment it is known never again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.office import SAY, asks, at_double, desk, results
from director.agent.agent_session import AgentSession
from director.agent.permissions.secret_leaks import (
    find_secret_leaks,
    purge_leaked_secret,
    record_secret_leak,
)
from director.agent.turn import take_turn
from director.models.script_values import Emit, Say, Seen
from director.runs import RunDependencies
from director.secrets import Vault, VaultError
from director.secrets.encoded_forms import list_encoded_forms
from director.services.compression import compress_conversation
from director.services.workspace import share_session
from director.store import Store
from director.testing.double import Double
from models.talk import MODELS, PROFILES

VALUE = "Kestrel#42/ümlaut"
ORIGIN = "https://shop.example"
REFERENCE = "{{secret:shop_password}}"
# After the value is known the history begins with its reference: the cached prefix has to move.
pytestmark = pytest.mark.moves_prefix("a password gives way to its reference")


def holds(content: bytes) -> list[str]:
    """The forms in which the value stands in some bytes."""
    return [name for name, form in list_encoded_forms(VALUE).items() if form in content]


def sent(double: Double, after: int) -> list[bytes]:
    """All that was sent to the double from one request on."""
    return [json.dumps(one.asked.body).encode() for one in double.exchanges[after:]]


def parrot(shown: Seen) -> Sequence[Emit]:
    """Repeats what the user said last, and stores it in a variable once."""
    said = [item.text for item in shown.items if item.kind == "user"][-1]
    if not results(shown) and shown.tools:
        return [asks("set_variable", variableName="note", value=said, reason="to remember")]
    return [Say(f"You said: {said}")]


def with_vault(
    store: Store, tmp_path: Path, double: Double, wire: str, profile: str
) -> AgentSession:
    """A desk whose model the double plays, with a vault of its own, keeping every request."""
    means = RunDependencies(secrets=Vault(tmp_path / "vault"), pictures="none")
    return at_double(desk(store, parrot, means=means, profile=profile), double, wire)


@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("profile", ["structured", "clean"])
def test_after_a_value_is_known_no_request_holds_it(
    store: Store, tmp_path: Path, wire: str, profile: str
) -> None:
    """In no dialect, chained or not, in no form; the user is told that it was sent before."""
    with Double(PROFILES[wire], parrot) as double:
        made = with_vault(store, tmp_path, double, wire, profile)
        vault = made.means.secrets
        assert isinstance(vault, Vault)

        async def talk() -> int:
            await take_turn(made, f"Log in with bob and {VALUE} please.")
            before = len(double.exchanges)
            leak = record_secret_leak(store, vault, "shop_password", VALUE, [ORIGIN])
            assert leak is not None
            assert "already sent" in str(leak)
            assert VALUE not in str(leak)
            await take_turn(made, "Go on.")
            await take_turn(made, f"Once more: {VALUE}")
            await compress_conversation(share_session(made), made.thread)
            await take_turn(made, "And now?")
            await made.close()
            return before

        before = asyncio.run(talk())
        assert any(holds(one) for one in sent(double, 0))
        later = sent(double, before)
        assert len(later) >= 4
        assert [holds(one) for one in later] == [[]] * len(later)
        assert any(REFERENCE.encode() in one for one in later)
        first = double.exchanges[before].asked.body
        assert "previous_response_id" not in first


def test_what_is_stored_from_then_on_holds_the_reference(store: Store, tmp_path: Path) -> None:
    """What the user says again, what the model repeats, and every request that is kept."""
    with Double("openai", parrot) as double:
        made = with_vault(store, tmp_path, double, "responses", "structured")
        vault = made.means.secrets
        assert isinstance(vault, Vault)

        async def talk() -> int:
            await take_turn(made, f"My password is {VALUE}")
            record_secret_leak(store, vault, "shop_password", VALUE, [ORIGIN])
            head = store.head(made.thread)
            await take_turn(made, f"It is {VALUE}, as I said.")
            await made.close()
            return head

        head = asyncio.run(talk())
    fresh = store.entries(made.thread, head)
    assert [one.kind for one in fresh] == ["user", "agent"]
    assert not any(holds(json.dumps(dict(one.body)).encode()) for one in fresh)
    assert all(REFERENCE in json.dumps(dict(one.body)) for one in fresh)
    newest = store.get("request", made.thread)
    assert newest is not None
    assert not holds(json.dumps(dict(newest.body), default=str).encode())


def test_a_purge_rewrites_the_messages_and_the_store_is_still_sound(
    store: Store, tmp_path: Path
) -> None:
    """The value is in no byte of the file; numbers, order and all other words are as they were."""
    made = desk(
        store,
        [[asks("set_variable", variableName="note", value=f"pw {VALUE}", reason="r")], SAY, SAY],
        means=RunDependencies(secrets=Vault(tmp_path / "vault"), pictures="none"),
    )
    vault = made.means.secrets
    assert isinstance(vault, Vault)

    async def talk() -> None:
        await take_turn(made, f"Remember {VALUE} for bob. {'x' * 9_000}")
        record_secret_leak(store, vault, "shop_password", VALUE, [ORIGIN])
        await take_turn(made, "Thanks.")

    asyncio.run(talk())
    before = store.entries(made.thread)
    gone = purge_leaked_secret(store, vault, "shop_password")
    assert gone.entries == {made.thread: (1, 2, 3)}
    assert gone.versions == 2  # the variable, and a request that is then removed
    assert gone.requests > 0
    after = store.entries(made.thread)[: len(before)]
    assert [one.seq for one in after] == [one.seq for one in before]
    assert after[0].body["text"] == before[0].body["text"].replace(VALUE, REFERENCE)
    assert after[3:] != before[3:]  # the hashes behind it are new
    assert [one.body for one in after[3:]] == [one.body for one in before[3:]]
    assert store.verify().ok
    assert not holds((tmp_path / "director.db").read_bytes())
    assert find_secret_leaks(store) == []
    with pytest.raises(VaultError, match="no secret"):
        purge_leaked_secret(store, vault, "nobody")


def test_a_short_value_is_meant_only_as_a_word_of_the_user(store: Store, tmp_path: Path) -> None:
    """A PIN stands in many numbers by chance: those are left as they are."""
    vault = Vault(tmp_path / "vault")
    made = desk(store, [SAY, SAY, SAY], means=RunDependencies(secrets=vault, pictures="none"))

    async def talk() -> None:
        await take_turn(made, "Invoice INV-47110 is due.")
        assert record_secret_leak(store, vault, "pin", "4711", [ORIGIN]) is None
        await take_turn(made, "Pay INV-47110 with pin 4711.")

    asyncio.run(talk())
    last = store.last(made.thread, "user")
    assert last is not None
    assert last.body["text"] == "Pay INV-47110 with pin {{secret:pin}}."


def test_a_model_learns_nothing_by_guessing_values_that_nobody_said(
    store: Store, tmp_path: Path
) -> None:
    """What it writes is stored as it wrote it, right or wrong."""
    vault = Vault(tmp_path / "vault")
    vault.put("shop_password", VALUE, ORIGIN)
    made = desk(
        store,
        [[Say(f"Is it {VALUE} or Kestrel#43?")]],
        means=RunDependencies(secrets=vault, pictures="none"),
    )
    asyncio.run(take_turn(made, "Hello."))
    said = store.last(made.thread, "agent")
    assert said is not None
    assert REFERENCE not in json.dumps(dict(said.body))
