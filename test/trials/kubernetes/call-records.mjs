// Calls a method of records for an account and prints the result. The first argument is `plaintext`, `no-certificate` (TLS without a client
// certificate) or `certificate` (that of the pod).
import { readFileSync } from "node:fs";
import { connect } from "node:http2";

const [how, method, accountId] = process.argv.slice(-3);
const file = (name) => readFileSync(`/tls/${name}`);
const shown = how === "certificate" ? { cert: file("tls.crt"), key: file("tls.key"), ca: file("ca.crt") } : {};
const url = `${how === "plaintext" ? "http" : "https"}://shipping-records:8080`;

function answer() {
  return new Promise((resolve) => {
    const session = connect(url, { ...shown, rejectUnauthorized: how === "certificate" });
    const end = (said) => {
      session.destroy();
      resolve(said);
    };
    session.on("error", () => end("nothing")).on("close", () => end("nothing"));
    setTimeout(end, 10_000, "nothing").unref();
    const headers = { "content-type": "application/json", "connect-protocol-version": "1" };
    const path = `/shipping.records.v1.RecordsService/${method}`;
    const stream = session.request({ ":method": "POST", ":path": path, ...headers });
    let body = "";
    stream
      .on("error", () => end("nothing"))
      .on("data", (chunk) => {
        body += chunk;
      });
    stream.on("end", () => end(body ? (JSON.parse(body).code ?? "answered") : "nothing"));
    stream.end(JSON.stringify({ caller: { accountId, environment: "sandbox" }, limit: 1, id: "shp_none" }));
  });
}

process.stdout.write(`${await answer()}\n`);
