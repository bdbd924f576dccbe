"""The payment network's sandbox: handlers for the generated server, over a database."""
