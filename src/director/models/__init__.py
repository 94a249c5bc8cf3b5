"""Models: one thin layer over the providers, with their state as a shortcut and never as truth.

`open_model("openai:gpt-6.1-terra")` gives a model; the libraries of providers are loaded then,
and not before.
"""

from director.context.wire.parse_events import INTERRUPTED
from director.models.capabilities import Capabilities
from director.models.failures import Failure, ModelError
from director.models.images import Image
from director.models.local import LocalServer, find_local_servers
from director.models.model import Model
from director.models.model_loading import NoLibrary, open_model
from director.models.names import UnknownModel
from director.models.reply_turns import Result, make_user_turn, turn_of
from director.models.restart_journal import FileJournal, Journal, MemoryJournal
from director.models.servers import NoKey, ServerNotAccepted, accept_server, list_accepted_servers
from director.models.timing import Timing
from director.models.tool_schemas import Tool, ToolArgumentError, call_tool, tool
from director.models.values import (
    Attempt,
    Calling,
    Handle,
    Policy,
    Reply,
    ResumeRecord,
    StateRef,
    StreamEnd,
    StreamEvent,
    StreamRestart,
    Text,
    Thinking,
    ToolCall,
    Usage,
)

__all__ = [
    "INTERRUPTED",
    "Attempt",
    "Calling",
    "Capabilities",
    "Failure",
    "FileJournal",
    "Handle",
    "Image",
    "Journal",
    "LocalServer",
    "MemoryJournal",
    "Model",
    "ModelError",
    "NoKey",
    "NoLibrary",
    "Policy",
    "Reply",
    "Result",
    "ResumeRecord",
    "ServerNotAccepted",
    "StateRef",
    "StreamEnd",
    "StreamEvent",
    "StreamRestart",
    "Text",
    "Thinking",
    "Timing",
    "Tool",
    "ToolArgumentError",
    "ToolCall",
    "UnknownModel",
    "Usage",
    "accept_server",
    "call_tool",
    "find_local_servers",
    "list_accepted_servers",
    "make_user_turn",
    "open_model",
    "tool",
    "turn_of",
]

# Names of one release ago; they go with the next.
call = call_tool
user_turn = make_user_turn
