"""What the specification of the payment API lists, for the tests that compare with it."""

from __future__ import annotations

from typing import Final

TRANSACTION_STATUSES: Final = (
    "FundsReviewInProgress",
    "ConversionInProgress",
    "PayoutInProgress",
    "Completed",
    "Failed",
    "RejectedAml",
    "RejectedFraud",
    "RejectedMinAmount",
)
RAMP_TYPES: Final = ("Onramp", "Offramp", "Swap", "Mint", "Redeem")
