// A receiver of webhooks for a trial: keeps what is POSTed to /, shows it at GET /deliveries?event=ID, and the ids alone at GET /events.
import { createServer } from "node:http";

const deliveries = new Map();

function keep(request, body) {
  const id = String(request.headers["service-event-id"]);
  const signature = String(request.headers["service-signature"]);
  const kept = deliveries.get(id) ?? [];
  kept.push({ signature, body });
  deliveries.set(id, kept);
  process.stdout.write(
    `${JSON.stringify({ event: id, type: request.headers["service-event-type"], deliveries: kept.length })}\n`,
  );
}

createServer(async (request, response) => {
  const url = new URL(request.url, "http://receiver");
  if (request.method === "POST") {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    keep(request, Buffer.concat(chunks).toString());
    return response.writeHead(204).end();
  }
  const answers = {
    "/events": () => [...deliveries.keys()],
    "/deliveries": () => deliveries.get(url.searchParams.get("event")) ?? [...deliveries.values()].flat(),
  };
  const answer = answers[url.pathname];
  response.writeHead(answer ? 200 : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(answer?.() ?? {}));
}).listen(8080);

process.on("SIGTERM", () => process.exit(0));
