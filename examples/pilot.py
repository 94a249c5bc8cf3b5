"""A pilot that runs a written test suite in a browser: login, cart and checkout of the demo shop.

Run it: `python examples/pilot.py`. A LangGraph agent drives Chromium with Playwright tools, each of
which answers with the whole page as it then is. `ContextManagedAgent` keeps what the model sees
small, with a checkpoint for each phase of the suite. It needs no key: Director's double plays the
model, from the script below.
"""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from playwright.async_api import Page, async_playwright

from director import ContextConfig, ContextManager
from director.browser.chromium import find_chromium, list_chromium_switches
from director.demo.site import Site
from director.middleware.langchain import ContextManagedAgent
from director.models.script_engines.tape import Places
from director.models.script_values import Ask, Emit, Say, Seen
from director.testing.double import Double

SUITE = {
    "login": "Log in to the shop as ada@postbox.example; the code of the login comes by mail.",
    "cart": "Look through the shop and put the desk lamp into the cart.",
    "checkout": "Order what is in the cart, with the reference PILOT-1, and report.",
}


@dataclass
class Pilot:
    """The tools: each does one thing in a page and tells what the page shows then."""

    page: Page
    site: str

    async def shown(self) -> str:
        """The page as text."""
        snapshot = await self.page.locator("body").aria_snapshot()
        return f"URL: {self.page.url}\nTitle: {await self.page.title()}\n{snapshot}"

    def tools(self) -> list[object]:
        """The tools for an agent."""

        @tool
        async def browser_navigate(path: str) -> str:
            """Go to a path of the site."""
            await self.page.goto(self.site + path)
            return await self.shown()

        @tool
        async def browser_type(name: str, text: str) -> str:
            """Type a text into the field of that name."""
            await self.page.fill(f"main [name={name}]", text)
            return await self.shown()

        @tool
        async def browser_click(what: str) -> str:
            """Click the button or link of that name, or of that test id if it begins with '#'."""
            main = self.page.locator("main")
            named = main.get_by_role("button", name=what).or_(main.get_by_role("link", name=what))
            chosen = main.get_by_test_id(what[1:]) if what.startswith("#") else named
            await chosen.first.click(timeout=10_000)
            await self.page.wait_for_load_state()
            return await self.shown()

        return [browser_navigate, browser_type, browser_click]


def found(pattern: str) -> Callable[[Seen], str]:
    """What a pattern last matched in what the model is shown, or a question mark."""

    def find(seen: Seen) -> str:
        matches = re.findall(pattern, "\n".join(item.text for item in seen.items))
        return matches[-1] if matches else "?"

    return find


LOGIN = found(r"\bL-\d+")
CODE = found(r"\b\d{6}\b")
ORDER = found(r"\bOI-\d{4,6}")


def go(path: str) -> Ask:
    """Go somewhere."""
    return Ask("browser_navigate", f'{{"path": "{path}"}}')


def write(name: str, text: str) -> Ask:
    """Fill a field."""
    return Ask("browser_type", f'{{"name": "{name}", "text": "{text}"}}')


def click(what: str) -> Ask:
    """Click something."""
    return Ask("browser_click", f'{{"what": "{what}"}}')


STEPS: list[Emit | Callable[[Seen], Emit]] = [
    go("/shop/login"),
    write("user", "ada@postbox.example"),
    write("password", "paper-boats"),
    click("#login"),
    go("/mail"),
    write("user", "ada@postbox.example"),
    write("password", "letters-2026"),
    click("Log in"),
    lambda seen: click(f"Your one-time code for login {LOGIN(seen)}"),
    go("/shop/login/code"),
    lambda seen: write("code", CODE(seen)),
    click("#confirm"),
    Say("PASS login"),
    go("/shop?page=3"),
    go("/shop?page=2"),
    go("/shop"),
    click("Desk lamp"),
    click("#add-to-cart"),
    Say("PASS cart"),
    go("/shop/checkout"),
    write("name", "Ada Byron"),
    write("street", "Mill Lane 3"),
    write("postcode", "4010"),
    write("city", "Oldtown"),
    write("country", "Norway"),
    write("reference", "PILOT-1"),
    click("#place-order"),
    lambda seen: Say(f"PASS checkout: order {ORDER(seen)}, by login {LOGIN(seen)}"),
]


class Script:
    """The model: one step after another, each made of what is shown."""

    def __init__(self) -> None:
        self._places = Places()

    def __call__(self, seen: Seen) -> list[Emit]:
        """The step of this context."""
        step = STEPS[self._places.of(seen)]
        return [step(seen) if callable(step) else step]


async def run_suite(page: Page, site: str, manager: ContextManager) -> None:
    """Every phase of the suite, in one thread."""
    with Double("openai", Script()) as double:
        model = ChatOpenAI(model="gpt-6-sol", base_url=double.openai_url, api_key="sk-any")
        agent = create_agent(model, Pilot(page, site).tools(), checkpointer=InMemorySaver())
        managed = ContextManagedAgent(agent, manager)
        config = {"configurable": {"thread_id": "suite"}, "recursion_limit": 60}
        for phase, objective in SUITE.items():
            managed.phase = phase
            asked = {"messages": [("user", f"Phase {phase}: {objective}")]}
            async for chunk in managed.astream(asked, config):
                for message in chunk.get("model", {}).get("messages", []):
                    if not message.tool_calls:
                        print(message.text)
        print(f"{len(managed.original_messages)} messages are kept whole")
        assert double.defects == []
        await model.root_async_client.close()


def tell(manager: ContextManager) -> None:
    """What context management did."""
    told = manager.metrics.get_summary()
    print(f"{told['total_input_tokens']:,} tokens in, {told['total_output_tokens']:,} sent")
    print(f"{told['total_reduction']:.0f}% less in {told['compression_count']} calls")
    for event in manager.metrics.checkpoint_events:
        print(f"checkpoint at turn {event.turn}, phase {event.phase}")


async def main() -> None:
    """Serve the shop, open a browser, run the suite."""
    manager = ContextManager(ContextConfig(strategy="checkpoint", budget=2_500))
    with Site(seed=1).serve() as site:
        async with async_playwright() as playwright:
            path = find_chromium(playwright.chromium.executable_path)
            browser = await playwright.chromium.launch(
                executable_path=path,
                args=list_chromium_switches(),
                chromium_sandbox="--no-sandbox" not in list_chromium_switches(),
            )
            await run_suite(await browser.new_page(), site.url, manager)
            await browser.close()
        (order,) = site.state.orders
        assert order.reference == "PILOT-1"
    tell(manager)


if __name__ == "__main__":
    asyncio.run(main())
