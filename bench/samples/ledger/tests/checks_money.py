import pytest

from ledger.money import BadAmount, Money, parse_money, split_evenly


@pytest.mark.parametrize(
    ("text", "cents"), [("12.50", 1250), ("3", 300), ("-0.05", -5), (" 7.10 ", 710)]
)
def test_an_amount_is_read_in_cents(text, cents):
    assert parse_money(text) == Money(cents)


@pytest.mark.parametrize("text", ["", "1.5", "1,50", "abc", "--2"])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(BadAmount):
        parse_money(text)


def test_currencies_do_not_mix():
    with pytest.raises(BadAmount):
        Money(1) + Money(1, "SEK")


def test_a_split_loses_no_cent():
    shares = split_evenly(Money(10_000), 3)
    assert [str(share) for share in shares] == ["33.34 EUR", "33.33 EUR", "33.33 EUR"]
    assert sum(share.cents for share in shares) == 10_000


def test_a_negative_amount_prints_one_sign():
    assert str(Money(-5)) == "-0.05 EUR"
