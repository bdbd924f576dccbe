"""What a generated server needs when it serves: values in, values out; only `asgi` knows HTTP."""
