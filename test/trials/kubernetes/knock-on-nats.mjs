// Publishes or subscribes (PUB, SUB) to a subject, and prints the response: `allowed`, or the error. The first argument is the server, the
// second is `part` (with the credentials of the pod's part) or `nobody`.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [address, who, verb, subject] = process.argv.slice(-4);
const [host, port] = address.split(":");

function identity() {
  const { NATS_USER, NATS_PASSWORD_FILE } = process.env;
  return who === "part" ? { user: NATS_USER, pass: readFileSync(NATS_PASSWORD_FILE, "utf8").trim() } : {};
}

function answer() {
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    let said = "";
    const end = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(10_000, () => end("nothing"));
    socket.on("error", () => end("nothing")).on("close", () => end("nothing"));
    socket.on("data", (chunk) => {
      said += chunk;
      const refusal = /-ERR '(.*)'/.exec(said);
      if (refusal) end(refusal[1]);
      else if (said.includes("PONG")) end("allowed");
    });
    const asked = verb === "PUB" ? `PUB ${subject} 0\r\n\r\n` : `SUB ${subject} 1\r\n`;
    socket.write(`CONNECT ${JSON.stringify({ verbose: false, ...identity() })}\r\n${asked}PING\r\n`);
  });
}

process.stdout.write(`${await answer()}\n`);
