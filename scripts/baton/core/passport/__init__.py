"""The passport ledger, pure (design page passport): bytes in, verified values and new bytes out."""
