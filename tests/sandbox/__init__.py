"""The reference server, over HTTP, on every database that it runs on."""
