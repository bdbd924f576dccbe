"""The run time of generated servers: standard library only, and only `asgi` knows HTTP."""
