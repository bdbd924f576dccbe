"""Values that look like those of real transactions: as random as the generator they come from."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any, Final
from uuid import UUID

_FIRST_NAMES: Final = ("Ana", "Björn", "Chloé", "Dmitri", "Emre", "Fatou", "Günther", "İrem")
_LAST_NAMES: Final = ("Ångström", "Brontë", "Çelik", "Dvořák", "Groß", "Núñez", "O'Neill", "Smith")
_TRADES: Final = ("Bäckerei", "Design", "Exports", "Logistics", "Trading", "Weinhandel")
_FORMS: Final = ("AG", "GmbH", "Ltd", "S.A.", "SARL", "Sp. z o.o.")
_BANKS: Final = (
    "Banco del Río",
    "Banque de la Côte",
    "First Example Bank",
    "Landesbank Süd",
    "Özgür Banka",
)
_STREETS: Final = ("Hauptstraße", "Market Street", "Rua Direita", "Rue de l'Église")
_CITIES: Final = (("Berlin", "DE"), ("Lisboa", "PT"), ("Lyon", "FR"), ("Málaga", "ES"))

# For each byte a sign.
_BASE58: Final = (b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz" * 5)[:256]
_DIGITS: Final = (b"0123456789" * 26)[:256]

_CENT: Final = Decimal("0.01")
_IMMEDIATELY: Final = "deductedImmediately"


def uuid(random: Random) -> UUID:
    return UUID(int=random.getrandbits(128), version=4)


def name(random: Random, *, is_business: bool) -> str:
    last = random.choice(_LAST_NAMES)
    if is_business:
        return f"{last} {random.choice(_TRADES)} {random.choice(_FORMS)}"
    return f"{random.choice(_FIRST_NAMES)} {last}"


def transaction(
    random: Random, *, kind: str, name: str, email: str, is_business: bool
) -> dict[str, Any]:
    """Return the open fields of a transaction that pays out in euro what was taken in."""
    source = _cents(random, 10_00, 50_000_00)
    rate = Decimal(random.randrange(85_00, 98_00)).scaleb(-4)
    service, network, partner = (_cents(random, 10, 9_99) for _ in range(3))
    banking = _cents(random, 10, 99)
    total = service + network + partner + banking
    return {
        "batch_id": str(uuid(random)),
        "kind": kind,
        "state": "Pending",
        "source_amount": _amount(source, "USDC", "Crypto"),
        "destination_amount": _euro((source * rate - total).quantize(_CENT)),
        "exchange_rate": str(rate),
        "fee": str(total),
        "fee_settlement": _IMMEDIATELY,
        "is_third_party": False,
        "third_party_classification": "FirstParty",
        "source": {"blockchain": "Solana", "wallet_address": _signs(random, _BASE58, 44)},
        "recipient": _recipient(random, name, email, is_business),
        "fee_breakdown": _fees(service, network, partner, banking),
        "payment_tracking": {"sepa_payment_reference": f"SEPA{_signs(random, _DIGITS, 12)}"},
        "payout_crypto_transaction": {"transaction_hash": _signs(random, _BASE58, 88)},
    }


def _recipient(random: Random, name: str, email: str, is_business: bool) -> dict[str, Any]:
    city, country = random.choice(_CITIES)
    return {
        "account_identifier": {"type": "SEPA", "iban": f"{country}{_signs(random, _DIGITS, 20)}"},
        "address": {
            "city": city,
            "postal_code": _signs(random, _DIGITS, 5),
            "state": city,
            "street": f"{random.choice(_STREETS)} {random.randrange(1, 200)}",
            "country": {"code": country},
        },
        "bank_address": None,
        "email_address": {"email": email},
        "is_third_party": False,
        "phone_number": f"+49{_signs(random, _DIGITS, 10)}",
        "provider_country": {"code": country},
        "provider_name": random.choice(_BANKS),
        "recipient": {"name": name, "type": "Business" if is_business else "Person"},
    }


def _fees(service: Decimal, network: Decimal, partner: Decimal, banking: Decimal) -> dict[str, Any]:
    total = _euro(service + network + partner + banking)
    return {
        "banking_fee": _euro(banking),
        "banking_fee_network": "Sepa",
        "service_fee": _euro(service),
        "service_fee_settlement": _IMMEDIATELY,
        "network_fee": _euro(network),
        "network_fees": [_euro(network)],
        "network_fees_with_settlement": [
            {"fee_amount": _euro(network), "fee_type": "SepaIn", "settlement": _IMMEDIATELY}
        ],
        "partner_fee": _euro(partner),
        "partner_fees": [{"fee": _euro(partner), "label": "partner", "settlement": _IMMEDIATELY}],
        "transaction_fee": _euro(service + network),
        "deducted_fee": total,
        "total_fee": total,
    }


def _cents(random: Random, least: int, most: int) -> Decimal:
    return Decimal(random.randrange(least, most)).scaleb(-2)


def _euro(amount: Decimal) -> dict[str, Any]:
    return _amount(amount, "EUR", "Fiat")


def _amount(amount: Decimal, code: str, kind: str) -> dict[str, Any]:
    return {"amount": f"{amount:f}", "currency": {"code": code, "type": kind}}


def _signs(random: Random, signs: bytes, length: int) -> str:
    return random.randbytes(length).translate(signs).decode()
