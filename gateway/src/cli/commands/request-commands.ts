import { fail } from "@shipping/kit/errors";
import type { LoggedRequest } from "../../request-log/logged-request.js";
import { readAnyRequest } from "../../request-log/read-request.js";
import { onGateway } from "../platform/on-gateway.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

/** Adds the commands for the request log. */
export function addRequestCommands(admin: AdminCommand, { print, platform }: Tools): void {
  const request = admin
    .command("request")
    .description("Look up requests of all accounts")
    .addHelpText("after", examples("show req_ggyq5mxuz7gmanfyfkjbc2lk5a"));
  request
    .command("show")
    .description("Show a write or a failed request by its X-Request-Id")
    .addHelpText("after", examples("req_ggyq5mxuz7gmanfyfkjbc2lk5a"))
    .argument("<request-id>", "request ID")
    .reads(async (id: string) => {
      const found = await onGateway(await platform(), (deps) => readAnyRequest(deps, id));
      if (!found) throw fail("not_found", unknown(id));
      print(found, toTable(["FACT", "VALUE"], factsOf(found)));
    });
}

function unknown(id: string): string {
  return `No such request: ${id}. The log keeps writes and failed requests for REQUEST_LOG_DAYS days. Successful reads, and most of a series of similar failures, are only counted.`;
}

function factsOf(request: LoggedRequest): string[][] {
  const { keyId, keyName, keyLastFour, fields, more } = request;
  const facts: [string, string | null | undefined][] = [
    ["id", request.requestId],
    ["at", request.at.toISOString()],
    ["account", request.accountId ?? "none: the request had no valid API key"],
    ["environment", request.environment],
    ["key", keyId && [keyId, keyLastFour && `ends in ${keyLastFour}`, keyName].filter(Boolean).join(", ")],
    ["request", `${request.method} ${request.path}`],
    ["status", request.status === null ? "none: the client disconnected" : String(request.status)],
    ["code", request.code],
    ["cause", request.cause],
    ...fields.map(({ path, message }): [string, string] => ["field", `${path}: ${message}`]),
    ["duration", `${request.ms.toFixed(1)} ms`],
    ["idempotency key", request.idempotencyKey],
    ["replayed", request.replayed ? "yes" : "no"],
    ["resource", request.resourceId],
    ["address", request.source],
    ["user agent", request.userAgent],
    ["similar", more > 0 ? `${more} in that minute` : null],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}
