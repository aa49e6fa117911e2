"""Uses the MCP server with the client of the Python SDK, and prints what it got as JSON."""

import asyncio
import json
import os

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def use(key: str) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        streamable_http_client(os.environ["MCP_URL"], http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        try:
            started = await session.initialize()
        except Exception as error:
            return {"refused": str(error)}
        templates = await session.list_resource_templates()
        account = await session.call_tool("getAccount", {})
        return {
            "version": started.protocol_version,
            "tools": len((await session.list_tools()).tools),
            "templates": [str(one.uri_template) for one in templates.resource_templates],
            "account": account.structured_content["data"]["object"],
        }


async def main() -> None:
    answers = {**await use(os.environ["SHIPPING_KEY"]), **await use("service_test_wrong")}
    print(json.dumps(answers))


asyncio.run(main())
