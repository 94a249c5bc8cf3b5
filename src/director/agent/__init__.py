"""Director itself: turns that gather, assemble, fit, send and record; its tools, policy, scouts."""

from director.agent.agent_session import AgentSession
from director.agent.conversation.current_thread import (
    StoreJournal,
    ensure_current_thread,
    record_message,
    record_results,
    start_current_thread,
)
from director.agent.model_choice import choose_workflow_model
from director.agent.permissions.origin_requests import (
    Approval,
    approve_origin,
    list_origin_approvals,
    refuse_origin,
)
from director.agent.request_assembly import ContextTooLarge
from director.agent.session_opening import create_workflow, open_session
from director.agent.turn import TurnResult, can_continue_turn, retry_turn, take_turn
from director.agent.turn_events import TurnProgress
from director.agent.turn_lease import TurnRunning, is_turn_running

__all__ = [
    "AgentSession",
    "Approval",
    "ContextTooLarge",
    "StoreJournal",
    "TurnProgress",
    "TurnResult",
    "TurnRunning",
    "approve_origin",
    "can_continue_turn",
    "choose_workflow_model",
    "create_workflow",
    "ensure_current_thread",
    "is_turn_running",
    "list_origin_approvals",
    "open_session",
    "record_message",
    "record_results",
    "refuse_origin",
    "retry_turn",
    "start_current_thread",
    "take_turn",
]

# Names of one release ago; they go with the next.
Desk = AgentSession
Progress = TurnProgress
said = record_message
answered = record_results
open_desk = open_session
choose = choose_workflow_model
approve = approve_origin
refuse = refuse_origin
approvals = list_origin_approvals
running = is_turn_running
current_thread = ensure_current_thread
new_conversation = start_current_thread
new_workflow = create_workflow
