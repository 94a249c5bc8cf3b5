"""Director itself: turns that gather, assemble, fit, send and record; its tools, policy, scouts."""

from director.agent.agent_session import AgentSession
from director.agent.conversation.current_thread import current_thread, new_conversation
from director.agent.model_choice import choose
from director.agent.model_journal import StoreJournal, record_message, record_results
from director.agent.permissions.origin_requests import Approval, approvals, approve, refuse
from director.agent.request_assembly import ContextTooLarge
from director.agent.session_opening import new_workflow, open_session
from director.agent.turn import TurnResult, retry_turn, take_turn
from director.agent.turn_events import TurnProgress
from director.agent.turn_lease import TurnRunning, running

__all__ = [
    "AgentSession",
    "Approval",
    "ContextTooLarge",
    "StoreJournal",
    "TurnProgress",
    "TurnResult",
    "TurnRunning",
    "approvals",
    "approve",
    "choose",
    "current_thread",
    "new_conversation",
    "new_workflow",
    "open_session",
    "record_message",
    "record_results",
    "refuse",
    "retry_turn",
    "running",
    "take_turn",
]

# Names of one release ago; they go with the next.
Desk = AgentSession
Progress = TurnProgress
said = record_message
answered = record_results
open_desk = open_session
