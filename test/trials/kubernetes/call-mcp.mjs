// Asks the MCP server at a URL, with an API key, for its tools, and with one of them for an order that does not exist. Prints the tool, if it is
// listed, and the code of the refusal.
const [url, key] = process.argv.slice(-2);

async function send(method, params = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = await response.json();
  if (!answer.result) throw new Error(`${method}: ${response.status} ${JSON.stringify(answer.error)}`);
  return answer.result;
}

const { tools } = await send("tools/list");
const [tool] = tools.map(({ name }) => name).filter((name) => name === "getOrder");
const { content } = await send("tools/call", { name: "getOrder", arguments: { id: "ord_none" } });
const [{ text }] = content;
process.stdout.write(`${tool}: ${/not_found/.exec(text)?.[0] ?? text}\n`);
