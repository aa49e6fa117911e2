// A receiver of webhooks for a trial, which stores the bodies of POST requests. GET /events lists them as `type resource-id`; GET /deliveries?of=…
// shows the deliveries of one of these, with their signatures.
import { createServer } from "node:http";

const deliveries = new Map();

function keep(signature, body) {
  const { type, data } = JSON.parse(body);
  const event = `${type} ${data.id}`;
  const kept = deliveries.get(event) ?? [];
  kept.push({ signature, body });
  deliveries.set(event, kept);
  process.stdout.write(`${event}, delivery ${kept.length}, ${signature}\n`);
}

async function answer(request) {
  const url = new URL(request.url, "http://receiver");
  if (request.method === "POST") {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    keep(request.headers["service-signature"], Buffer.concat(chunks).toString());
    return { status: 204 };
  }
  if (url.pathname === "/events") return { status: 200, json: [...deliveries.keys()] };
  if (url.pathname === "/deliveries") return { status: 200, json: deliveries.get(url.searchParams.get("of")) ?? [] };
  return { status: 404, json: {} };
}

createServer(async (request, response) => {
  const { status, json } = await answer(request).catch(() => ({ status: 400, json: {} }));
  response.writeHead(status, { "content-type": "application/json" }).end(json && JSON.stringify(json));
}).listen(8080);

process.once("SIGTERM", () => process.exit(0));
