"""Calls every method of the client, without sending anything. Prints as JSON what each would have sent."""

import inspect
import json
from typing import Any

from shipping_client import Shipping, resources
from shipping_client.transport.operation import Operation

ID = "an-id"

sent: list[dict[str, Any]] = []


def send(operation: Operation) -> Any:
    path = "/" + "/".join(operation.path)
    sent.append({"request": f"{operation.method} {path}", "body": operation.body, "options": dict(operation.options)})
    return {"data": [], "next_cursor": None}


for resource in Shipping.__annotations__:
    kind = getattr(resources, f"{resource.capitalize()}Resource")
    for name in [name for name in vars(kind) if not name.startswith("_")]:
        method = getattr(kind(send), name)
        names = [name for name in inspect.signature(method).parameters if name != "options"]
        asked = method(*[ID for _ in names], retries=0)
        if name == "list":
            asked.page()
        returns = method.__annotations__["return"]
        sent[-1].update(method=f"{resource}.{name}({', '.join(names)})", returns=returns, doc=method.__doc__)
print(json.dumps(sent))
