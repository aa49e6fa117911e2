"""Uses the MCP server with FastMCP's client, and prints what it got as JSON."""

import asyncio
import base64
import json
import os

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

LABEL = os.environ["LABEL"]


def client(key: str, path: str = "") -> Client:
    headers = {"Authorization": f"Bearer {key}"}
    return Client(StreamableHttpTransport(os.environ["MCP_URL"] + path, headers=headers))


async def use() -> dict[str, object]:
    async with client(os.environ["SHIPPING_KEY"], "/") as session:
        file = (await session.call_tool("getLabelFile", {"id": LABEL})).content
        read = await session.read_resource(f"shipping://api/v1/labels/{LABEL}/file")
        prompt = await session.get_prompt("integrate-webhooks", {"framework": "Django"})
        return {
            "ping": await session.ping(),
            "tools": len(await session.list_tools()),
            "resources": len(await session.list_resources()),
            "templates": [str(one.uri_template) for one in await session.list_resource_templates()],
            "prompt": prompt.messages[0].content.text,
            "file": [file[0].text, file[1].resource.blob[:8]],
            "read": base64.b64decode(read[0].blob)[:5].decode(),
        }


async def refused() -> str:
    try:
        async with client("service_test_wrong"):
            return "connected"
    except Exception as error:
        return str(error)


async def main() -> None:
    print(json.dumps({**await use(), "refused": await refused()}))


asyncio.run(main())
