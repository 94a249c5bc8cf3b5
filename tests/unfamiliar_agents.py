"""Histories of agents that nothing in the engine was chosen for: tables, YAML with logs, a notebook."""

from __future__ import annotations

import json
import random
from itertools import count

from chats import Message

REASONS = ("price", "missing SSO", "no reply", "moved to a competitor")
DEPLOYMENTS = ("checkout", "cart", "catalog", "pricing", "ledger", "session", "gateway")
COLUMNS = [f"{a}_{b}" for a in ("fare", "trip", "zone", "wait") for b in ("amt", "km", "code")]


class Recorder:
    """Collects the messages of a run; each call is one message with its result behind it."""

    def __init__(self, tool: str, instructions: str, request: str) -> None:
        self.tool, self._ids = tool, count(1)
        self.messages: list[Message] = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": request},
        ]

    def call(self, argument: str, result: str) -> None:
        """One call of the tool."""
        name = f"c{next(self._ids)}"
        function = {"name": self.tool, "arguments": json.dumps({"input": argument})}
        self.messages += [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": name, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": name, "content": result},
        ]

    def say(self, role: str, text: str) -> None:
        """One message without a call."""
        self.messages.append({"role": role, "content": text})


def query_warehouse(seed: int) -> list[Message]:
    """SQL with wide tables as psql prints them; rows of old results are looked up by their ids."""
    chance = random.Random(seed)
    run = Recorder("run_sql", "You answer with SQL.", "Which customers churned in Q3, and why?")
    heads = "customer_id|name|region|mrr_eur|seats|churned_at|reason|owner|invoice_ref".split("|")
    noted: list[list[str]] = []
    for step in range(16):
        rows = [
            [
                f"CUS-{chance.randint(10_000, 99_999)}",
                f"Acme {chance.choice(['GmbH', 'SA', 'Ltd'])} {n}",
                chance.choice(["DACH", "NORD"]),
                f"{chance.randint(90, 9_000)}.{chance.randint(10, 99)}",
                str(chance.randint(1, 400)),
                f"2026-{chance.randint(7, 9):02}-{chance.randint(1, 28):02}",
                chance.choice(REASONS),
                chance.choice(["lena", "omar"]),
                f"INV-{chance.randint(100_000, 999_999)}",
            ]
            for n in range(chance.choice([8, 40]))
        ]
        lines = [" | ".join(cell.ljust(14) for cell in row) for row in [heads, *rows]]
        run.call(f"table churned limit {len(rows)} -- step {step}", "\n".join(lines))
        noted.append(chance.choice(rows))
        run.say("assistant", f"{noted[-1][0]} left because of {noted[-1][6]}: {noted[-1][8]}.")
        if step % 4 == 1:
            run.say("user", f"Leave test account CUS-{step}0077 out of all sums.")
        if step > 3:
            old = noted[chance.randrange(step - 2)]
            run.call(f"table tickets -- of {old[0]} and {old[8]}", "(0 rows)")
    run.say("user", "Now the summary.")
    return run.messages


def debug_cluster(seed: int) -> list[Message]:
    """Deployments as YAML and logs of pods; pods that were listed early are looked at late."""
    chance = random.Random(seed)
    run = Recorder("bash", "You debug a cluster.", "checkout returns 502. Never touch payments.")
    pods = {one: f"{one}-{chance.randrange(16**9):09x}" for one in DEPLOYMENTS}
    listed = "\n".join(f"{pod:28} 1/1 Running {chance.randint(0, 9)}" for pod in pods.values())
    run.call(
        "kubectl get pods -n shop", f"NAME                         READY STATUS RESTARTS\n{listed}"
    )
    for step in range(24):
        one = DEPLOYMENTS[step % len(DEPLOYMENTS)]
        if step % 3 == 0:
            env = "\n".join(
                f"        - name: {one.upper()}_{n}\n          value: '{chance.randint(10, 9_999)}'"
                for n in range(25)
            )
            run.call(f"kubectl get deploy {one} -o yaml", f"kind: Deployment\nspec:\n{env}")
        else:
            said = [
                f"09:{chance.randint(10, 59)}:{chance.randint(10, 59)} INFO GET /healthz 200"
                f" in {chance.randint(1, 90)} ms"
                for _ in range(60)
            ]
            said[chance.randrange(60)] = f"09:41:07 ERROR ledger-db-{step}:5432 refused: too many"
            run.call(f"kubectl logs {pods[one]} --tail=60", "\n".join(said))
        if step % 6 == 2:
            run.say("assistant", f"{pods[one]} cannot reach its database.")
            run.say("user", f"Do not restart {one} before 1{step % 10}:30.")
    run.say("user", "Propose the fix.")
    return run.messages


def analyse_trips(seed: int) -> list[Message]:
    """A notebook: frames that are printed with many decimals, names that later cells use."""
    chance = random.Random(seed)
    run = Recorder("execute", "You analyse data.", "Why did revenue fall? Keep random_state=7321.")
    frames: list[str] = []
    for step in range(24):
        frame = f"df_{chance.choice(['week', 'zone', 'hour'])}_{step}"
        frames.append(frame)
        shown = chance.sample(COLUMNS, 8)
        rows = [
            f"{n:3} " + "  ".join(f"{chance.random() * 1_000:>10.4f}" for _ in shown)
            for n in range(chance.choice([8, 20]))
        ]
        table = "\n".join(["    " + "  ".join(f"{name:>10}" for name in shown), *rows])
        run.call(f"{frame} = df.groupby('{chance.choice(COLUMNS)}').mean(); {frame}.head()", table)
        if step % 5 == 1:
            run.say("assistant", f"In {frame} the drop comes from {chance.choice(COLUMNS)}.")
            run.say("user", f"Ignore trips shorter than 0.{step} km.")
        if step > 5 and step % 2:
            old = chance.choice(frames[:-3])
            run.call(f"{old}.to_csv('out/{old}.csv')", f"wrote out/{old}.csv")
    run.say("user", "Now the summary.")
    return run.messages
