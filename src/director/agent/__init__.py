"""Director itself: turns that gather, assemble, fit, send and record; its tools, policy, scouts."""

from director.agent.approvals import Approval, approvals, approve, refuse
from director.agent.assemble import ContextTooLarge
from director.agent.choosing import choose
from director.agent.desk import AgentSession
from director.agent.journal import StoreJournal, answered, said
from director.agent.lease import TurnRunning, running
from director.agent.opening import new_workflow, open_desk
from director.agent.progress import TurnProgress
from director.agent.threads import current_thread, new_conversation
from director.agent.turn import TurnResult, retry_turn, take_turn

__all__ = [
    "AgentSession",
    "Approval",
    "ContextTooLarge",
    "StoreJournal",
    "TurnProgress",
    "TurnResult",
    "TurnRunning",
    "answered",
    "approvals",
    "approve",
    "choose",
    "current_thread",
    "new_conversation",
    "new_workflow",
    "open_desk",
    "refuse",
    "retry_turn",
    "running",
    "said",
    "take_turn",
]

# Names of one release ago; they go with the next.
Desk = AgentSession
Progress = TurnProgress
