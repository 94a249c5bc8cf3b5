"""OpenAI's Responses API and its conversations, as the double plays them."""
