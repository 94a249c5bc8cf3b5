"""A one-time code from a real mailbox ends a login."""

from __future__ import annotations

import pytest

from beds.mail.bed import door, installed, mailbox, workflow
from director.runs import run_workflow
from director.store import Store
from runs.conftest import Live


@pytest.mark.slow
def test_a_code_from_the_mailbox_ends_a_login(live: Live, store: Store) -> None:
    """Sent by SMTP, read in MailDev's inbox in a second tab, typed in the first."""
    program = installed()
    if isinstance(program, str):
        pytest.skip(program)
    with mailbox(program) as (inbox, smtp), door(smtp) as login:
        login.send("somebody.else")
        made = workflow(login.origin, inbox)
        run = live.run(run_workflow(store, made, live.means(), inputs={"name": "ada"}))
        assert run.error is None
        assert len(login.entered) == 1
