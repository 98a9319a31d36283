"""What every service of tilerace shares: codecs, records, the store, status mapping and serving."""
