import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { parseArgs } from "node:util";

// A replacement for curl on machines without it. It supports the options in the guides' examples, and refuses others.
const flag = (short) => ({ type: "boolean", short });
const text = (short) => ({ type: "string", short });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ silent: flag("s"), "show-error": flag("S"), fail: flag("f"), "fail-with-body": { type: "boolean" } },
    ...{ include: flag("i"), "remote-name": flag("O"), output: text("o"), "dump-header": text("D") },
    ...{ "write-out": text("w"), request: text("X"), data: text("d"), header: { ...text("H"), multiple: true } },
  },
});
const REFUSED = 22;
const UNREACHABLE = 7;

function end(status, words) {
  if (words && (!values.silent || values["show-error"])) process.stderr.write(`curl: (${status}) ${words}\n`);
  process.exitCode = status;
}

const url = new URL(positionals[0]);
const headers = new Headers({ Accept: "*/*", "User-Agent": "curl/0 (stand-in)" });
if (values.data !== undefined) headers.set("Content-Type", "application/x-www-form-urlencoded");
for (const header of values.header ?? []) headers.set(...header.split(/: ?(.*)/s).slice(0, 2));
const method = values.request ?? (values.data === undefined ? "GET" : "POST");

try {
  // Loaded only when the request is known: a page sends more than 120 requests in a minute.
  const library = await import(url.protocol === "https:" ? "node:https" : "node:http");
  const request = library.request(url, { method, headers: Object.fromEntries(headers) });
  request.end(values.data);
  const [response] = await once(request, "response");
  const body = await buffer(response);
  const lines = response.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : [`${name}: ${all[at + 1]}`]));
  const head = [`HTTP/1.1 ${response.statusCode} ${response.statusMessage}`, ...lines, "", ""].join("\r\n");
  const isRefused = response.statusCode >= 400 && (values.fail || values["fail-with-body"]);
  if (values["dump-header"]) writeFileSync(values["dump-header"], head);
  if (values.include) process.stdout.write(head);
  const file = values.output ?? (values["remote-name"] ? basename(url.pathname) : undefined);
  if (!isRefused || values["fail-with-body"]) {
    if (file) writeFileSync(file, body);
    else process.stdout.write(body);
  }
  const after = values["write-out"]?.replaceAll("\\n", "\n").replaceAll("%{http_code}", String(response.statusCode));
  if (after) process.stdout.write(after);
  if (isRefused) end(REFUSED, `The requested URL returned error: ${response.statusCode}`);
} catch (error) {
  end(UNREACHABLE, `Failed to connect: ${error.message}`);
}
