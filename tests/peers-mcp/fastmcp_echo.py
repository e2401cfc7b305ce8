"""The same echo tool, served by FastMCP; with an argument, that many tools."""

import sys

from fastmcp import FastMCP
from fastmcp.tools import Tool

server = FastMCP("fastmcp")


def echo(text: str) -> str:
    """Gives a text back."""
    return text


count = int(sys.argv[1]) if len(sys.argv) > 1 else 0
if count:
    for at in range(count):
        server.add_tool(Tool.from_function(echo, name=f"tool_{at:04}"))
else:
    server.tool(echo)

server.run(transport="stdio", show_banner=False)
