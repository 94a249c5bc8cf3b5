"""From a ref of an outline to a selector that was tried: the bundle, what it fits, and why so.

The bundle is looked for on the page it was made of. One that does not find its element, and no
other, is not handed out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from playwright.async_api import Locator, Page

from director.browser.bundle import Bundle, LocatorError, NoElement
from director.browser.element_likeness import is_place
from director.browser.element_portraits import Sight, ask_about_portraits
from director.browser.locators import find_all_located, is_ref, make_locator_bundle
from director.browser.masks import Looks, MaskedPage, read_unmasked_page
from director.workflow.values import Json

_TELLS: Mapping[str, str] = {
    "test_id": "an id for tests",
    "name": "its role and name",
    "label": "its label",
    "css": "CSS that only it matches",
    "text": "its text",
    "within": "what it stands in",
    "near": "the texts beside it",
    "nth": "its place among its like",
}


@dataclass(frozen=True, slots=True)
class ElementDescription:
    """A bundle that finds one element now; `ways` says by what, the strongest first."""

    bundle: Bundle
    fits: int
    ways: tuple[str, ...]

    @property
    def rests_on_position(self) -> bool:
        """Whether only its place tells it from others."""
        return rests_on_position(self.bundle)

    def json(self) -> dict[str, Json]:
        """The description as a model reads it."""
        return {"selector": self.bundle.json(), "fits": self.fits, "found by": list(self.ways)}


def rests_on_position(bundle: Bundle) -> bool:
    """Whether nothing but its place tells an element from others."""
    if is_place(bundle):
        return True
    alone = bundle.nth is None or bundle.nth[1] == 1
    named = (bundle.name or bundle.label) and alone
    told = bundle.test_id or bundle.css or bundle.text or bundle.attributes
    around = any(each.name for each in bundle.within) or bundle.near
    return not (named or told or around)


async def describe_ref(
    page: Page, ref: str, looks: Looks = read_unmasked_page
) -> ElementDescription:
    """The description of the element that has a ref in the newest outline of a page."""
    if not is_ref(ref):
        raise LocatorError(f"{ref!r} is no ref: it looks like e12, or f1e3 in a frame.")
    return await looks(
        page, lambda seen: make_element_description(seen, page.locator(f"aria-ref={ref}"), ref)
    )


async def make_element_description(
    seen: MaskedPage, element: Locator, said: str
) -> ElementDescription:
    """The description of an element, tried on the page as it is."""
    made = await make_locator_bundle(seen.page, element, clean=seen.clean)
    wanted = await ask_about_portraits(element, "number")
    place = str(await ask_about_portraits(element, "place"))
    fits: list[Sight] = []
    for bundle in (*_versions(made), *((replace(made, css=place),) if place else ())):
        try:
            fits = await find_all_located(seen, bundle)
        except NoElement:
            continue
        if [sight.portrait.node for sight in fits] == [wanted]:
            return ElementDescription(bundle, 1, _ways(bundle))
    raise LocatorError(
        f"No selector means {said!r} and no other element: {len(fits)} fit what is known of it. "
        "Nothing was kept. Name what it stands in, or a part of it that has a name."
    )


def _versions(bundle: Bundle) -> tuple[Bundle, ...]:
    """The bundle, and others that say less where its words get in each other's way."""
    plain = replace(bundle, near=(), within=(), text="")
    by_css = Bundle(css=bundle.css, frame=bundle.frame)
    return (bundle, plain, *((by_css,) if bundle.css else ()))


def _ways(bundle: Bundle) -> tuple[str, ...]:
    alone = bundle.nth is None or bundle.nth[1] == 1
    if rests_on_position(bundle):
        return ("its place alone: it is found only while nothing around it has changed",)
    keys = [key for key in _TELLS if getattr(bundle, key)]
    return tuple(_TELLS[key] for key in keys if key != "nth" or not alone)
