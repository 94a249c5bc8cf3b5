"""What the shop sells."""

from __future__ import annotations

import random
from collections.abc import Iterator

from director.demo.site.values import CATEGORIES, Product

_PRODUCTS = {
    "Notebooks": (
        ("Field notebook", "A6, stitched, 64 dotted pages. Fits a back pocket.", 690),
        ("Ruled notebook", "A5, hard cover, 192 ruled pages and a ribbon.", 1490),
        ("Sketchbook", "A4, 120 g paper that takes ink without bleeding.", 2190),
        ("Week planner", "Undated, 54 weeks, lies flat on the desk.", 1890),
        ("Reporter pad", "Top bound, 80 sheets, a stiff back for standing up.", 590),
        ("Music notebook", "Twelve staves a page, cream paper.", 1290),
        ("Grid notebook", "B5, 5 mm squares, numbered pages.", 1590),
        ("Guest book", "Linen cover, 100 blank pages, boxed.", 3490),
    ),
    "Pens": (
        ("Fountain pen", "Steel nib, medium, with a converter for bottled ink.", 3900),
        ("Gel pen, black", "0.5 mm, quick to dry, left hands welcome.", 290),
        ("Gel pen, blue", "0.5 mm, quick to dry, left hands welcome.", 290),
        ("Pencil set", "Twelve pencils from 2H to 6B in a tin.", 1650),
        ("Fineliner set", "Five widths of archival black.", 1390),
        ("Brush pen", "Soft tip for lettering, refillable.", 890),
        ("Mechanical pencil", "0.7 mm, brass, heavier than it looks.", 2450),
        ("Highlighter trio", "Three calm colours that do not shout.", 750),
    ),
    "Paper": (
        ("Letter paper", "Fifty sheets, A5, with a soft tooth.", 1190),
        ("Envelopes, C6", "Fifty envelopes with a gummed flap.", 990),
        ("Index cards", "Two hundred cards, ruled on one side.", 650),
        ("Sticky notes", "Six pads, recycled, a paper-coloured yellow.", 540),
        ("Watercolour block", "Twenty sheets, 300 g, glued on four sides.", 2790),
        ("Wrapping paper", "Five metres, printed with oak leaves.", 890),
        ("Blotting paper", "Ten sheets for fountain pens.", 480),
    ),
    "Desk": (
        ("Desk lamp", "Warm light, three steps, a cable long enough.", 6900),
        ("Paper tray", "Beech, stackable, takes A4 and Letter.", 3200),
        ("Brass ruler", "Thirty centimetres, bevelled.", 1850),
        ("Letter opener", "Walnut handle. Opens bills, does not pay them.", 2290),
        ("Pen cup", "Stoneware, glazed inside, 9 cm wide.", 1790),
        ("Desk mat", "Felt, 60 by 40 cm, grey.", 2890),
        ("Book stand", "Folds flat, holds a book of 4 kg.", 2590),
        ("Stapler", "Metal, 25 sheets, with a removable arm.", 2150),
    ),
}


def products(chance: random.Random) -> Iterator[Product]:
    """All products in a drawn order, numbered as they are listed."""
    drawn = [(category, *each) for category in CATEGORIES for each in _PRODUCTS[category]]
    chance.shuffle(drawn)
    for number, (category, name, about, price) in enumerate(drawn, 101):
        yield Product(
            sku=f"{category[:2].upper()}-{number}",
            name=name,
            category=category,
            price=price,
            stock=chance.randrange(3, 60),
            about=about,
            hue=chance.randrange(0, 360, 20),
        )
