"""A LangGraph agent that reads thirty pages in the room of a few.

Run it: `python examples/langgraph_agent.py`. It needs no key: Director's double plays the model.
With a key, give `ChatOpenAI` a real model's name and leave its address out.
"""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from director import ContextConfig, ContextManager
from director.middleware.langchain import ContextMiddleware
from director.models.script_engines import Mind
from director.models.script_engines.mind import PlannedCall
from director.testing.double import Double

PAGES = 30
WARES = "\n".join(f"- link 'Mug {row}' [ref=e{row}]: EUR {row * 7 % 90}.50" for row in range(40))


def open_page(number: int) -> str:
    """Open a page of the shop and read it."""
    return f"{WARES}\ncode_{number}=K{number}"


def main() -> None:
    """Run the agent twice, without and with managed context."""
    tasks = [
        PlannedCall("open_page", f'{{"number": {n}}}', gives=f"code_{n}") for n in range(PAGES)
    ]
    scripted = Mind(tasks, f"The first code is {{code_0}}, the last {{code_{PAGES - 1}}}.")
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=5_000))
    for middleware in ([], [ContextMiddleware(manager)]):
        with Double("openai", scripted) as double:
            model = ChatOpenAI(model="gpt-6-sol", base_url=double.openai_url, api_key="sk-any")
            agent = create_agent(model, [open_page], middleware=middleware)
            asked = {"messages": [("user", "Read all pages. What are the first and last code?")]}
            result = agent.invoke(asked, {"recursion_limit": 2 * PAGES + 5})
            print(result["messages"][-1].text)
            print(f"  {double.ledger.totals().input:,} tokens were sent")
            assert double.defects == []
    print(f"  {manager.metrics.get_summary()['total_reduction']:.0f}% less")


if __name__ == "__main__":
    main()
