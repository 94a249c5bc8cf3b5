"""The chat completions API, as the double plays it for OpenAI and for local servers."""
