"""The vendors' own words, where more than one place says them. Texts only."""

WINDOW = (
    "Your input exceeds the context window of this model. Please adjust your input and try again."
)
CHAT_WINDOW = (
    "This model's maximum context length is {limit} tokens. However, your messages resulted in "
    "{size} tokens. Please reduce the length of the messages."
)
MESSAGES_WINDOW = "prompt is too long: {size} tokens > {limit} maximum"
LOCKED = (
    "Another process is currently operating on this conversation. Please retry in a few seconds."
)
SERVER = (
    "The server had an error while processing your request. Sorry about that! You can retry "
    "your request, or contact us through our help center at help.openai.com if the error persists."
)
STREAM_OPTIONS = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
UNSUPPORTED = "Unsupported parameter: '{param}' is not supported with this model."
NO_SUCH_TOOL = "Tool choice '{name}' not found in 'tools' parameter."
NO_SUCH_MODEL = "The model `{model}` does not exist or you do not have access to it."
