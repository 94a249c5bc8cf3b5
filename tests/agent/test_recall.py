"""Recall reads what a summary stands for, also when it stands for all that was said."""

from __future__ import annotations

import asyncio

import pytest

from agent.summaries import STATE, begun, good, writer
from director.agent.compression.compression_proposal import CompressionTask
from director.agent.compression.thread_compression import compress_now
from director.agent.compression.thresholds import Marks
from director.agent.conversation.archived_turns import recall_archived_turn
from director.store import Store
from director.store.context_view import project_context_view
from director.workflow.values import WorkflowError


def test_every_archived_turn_can_be_read_again(store: Store) -> None:
    """Nothing of it is in view any more; by its citation it is there, word for word."""
    thread = begun(store)
    before = project_context_view(store.entries(thread)).turns
    model, marks = writer(good), Marks(warn=300, at=400, to=200)
    done = asyncio.run(compress_now(CompressionTask(store, thread, STATE, model, marks)))
    assert done.status == "done"
    assert project_context_view(store.entries(thread)).turns == ()
    for turn in before:
        assert turn.text in recall_archived_turn(store, thread, f"[{turn.at}]")
    with pytest.raises(WorkflowError, match="nothing is known"):
        recall_archived_turn(store, thread, "t99")
