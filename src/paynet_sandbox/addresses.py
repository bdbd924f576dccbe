"""Addresses: of this group the specification shows one operation, which is not implemented."""

from __future__ import annotations

from paynet.server import Call, Refusal

from .accounts import Account


class Addresses:
    """The operations of the group Addresses."""

    async def retry_fiat_address_auth(
        self,
        call: Call[Account],  # noqa: ARG002 - the Protocol has it
        *,
        id: str,  # noqa: ARG002 - the Protocol has it
    ) -> None:
        """Refuse: the specification says that the operation is not implemented yet."""
        raise Refusal(400, "retrying the authentication of a fiat address is not implemented yet")
