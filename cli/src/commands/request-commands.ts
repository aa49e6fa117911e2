import { codesOf } from "@shipping/api/request-status";
import type { Environment } from "@shipping/kit/caller";
import { LEDGER_OWNERS } from "@shipping/proto/parts";
import type { LoggedRequest as LoggedMessage } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { InvalidArgumentError } from "commander";
import { callPart, onAccounts } from "../platform/call-parts.js";
import { findAccount } from "../platform/find-account.js";
import { plain } from "../platform/plain.js";
import { readPages } from "../platform/read-pages.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { accountOption, environmentOption, limitOption } from "../tools/options.js";
import { toFacts, toTable } from "../tools/print.js";
import { eventOfRequest } from "./event-of-request.js";

/** A request as it is printed. */
type LoggedRequest = ReturnType<typeof toLogged>;

function toLogged({ request, accountId, environment, cause }: LoggedMessage) {
  const { id: requestId, at, fields, ms, ...facts } = plain(request!);
  return {
    ...{ requestId, at, accountId, environment, cause, ...facts },
    fields: fields.map(plain),
    // The log has the digits of a 32-bit number.
    ms: Number(ms.toPrecision(7)),
  };
}

export function addRequestCommands(admin: AdminCommand, tools: Tools): void {
  const request = admin
    .command("request")
    .description("Look up requests of all accounts")
    .examples("list --account Acme");
  addRequestList(request, tools);
  addRequestShow(request, tools);
  addClaimShow(admin, tools);
}

const ENVIRONMENTS = ["sandbox", "live"] as const;

interface ListOptions {
  account?: string;
  environment?: Environment;
  status?: string;
  limit: number;
}

function addRequestList(request: AdminCommand, { print, platform }: Tools): void {
  request
    .command("list")
    .description("List writes and failed requests of an account, newest first")
    .examples("--account Acme", "--account Acme --environment live --status 4xx --limit 20")
    .addOption(accountOption())
    .addOption(environmentOption("only this environment").makeOptionMandatory(false))
    .option("--status <status>", "2xx, 4xx or 5xx, or the status or code of an error", parseStatus)
    .addOption(limitOption())
    .reads(async ({ account, environment, status, limit }: ListOptions) => {
      const found = await platform();
      const { id: accountId } = await findAccount(found, account);
      const filter = status === undefined ? {} : { status };
      const read = (caller: { accountId: string; environment: Environment }) =>
        onAccounts(found, (gateway) =>
          readPages(limit, async (page) => {
            const { requests, nextCursor } = await gateway.listRequests({ caller, ...filter, ...page });
            return { rows: requests, nextCursor };
          }),
        );
      const environments = environment ? [environment] : ENVIRONMENTS;
      const pages = await Promise.all(environments.map((one) => read({ accountId, environment: one })));
      const listed = pages
        .flat()
        .map(toLogged)
        .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
        .slice(0, limit);
      const rows = listed.map((one) => [
        ...[one.requestId, one.at, one.environment ?? ""],
        ...[String(one.status ?? ""), one.code ?? "", `${one.method} ${one.path}`],
      ]);
      print(listed, toTable(["ID", "AT", "ENVIRONMENT", "STATUS", "CODE", "REQUEST"], rows));
    });
}

function parseStatus(text: string): string {
  if (text === "2xx" || codesOf(text)) return text;
  throw new InvalidArgumentError(
    "Use 2xx, 4xx or 5xx, the status of an error such as 409, or a code such as label_exists.",
  );
}

function addRequestShow(request: AdminCommand, { print, platform }: Tools): void {
  request
    .command("show")
    .description(
      "Show a write or a failed request by its X-Request-Id, with the event that it caused and its deliveries",
    )
    .examples("req_ggyq5mxuz7gmanfyfkjbc2lk5a")
    .argument("<request-id>", "request ID")
    .reads(async (id: string) => {
      const found = await platform();
      const { request } = await onAccounts(found, (gateway) => gateway.getRequest({ id }));
      const logged = toLogged(request!);
      const event = await eventOfRequest(found, logged);
      const facts = toTable(["FACT", "VALUE"], requestFacts(logged, event?.fact));
      print({ ...logged, event: event?.json }, event ? `${facts}\n\n${event.text}` : facts);
    });
}

function requestFacts(request: LoggedRequest, event: string | undefined): string[][] {
  const { keyId, keyName, keyLastFour, fields, more } = request;
  const facts: [string, string | null | undefined][] = [
    ["id", request.requestId],
    ["at", request.at],
    ["account", request.accountId ?? "none: the request had no valid API key"],
    ["environment", request.environment],
    ["key", keyId && [keyId, keyLastFour && `ends in ${keyLastFour}`, keyName].filter(Boolean).join(", ")],
    ["request", `${request.method} ${request.path}`],
    ["status", request.status === undefined ? "none: the client disconnected" : String(request.status)],
    ["code", request.code],
    ["cause", request.cause],
    ...fields.map(({ path, message }): [string, string] => ["field", `${path}: ${message}`]),
    ["duration", `${request.ms.toFixed(1)} ms`],
    ["idempotency key", request.idempotencyKey],
    ["replayed", request.replayed ? "yes" : "no"],
    ["resource", request.resourceId],
    ["event", event],
    ["address", request.source],
    ["user agent", request.userAgent],
    ["similar", more > 0 ? `${more} in that minute` : null],
  ];
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

function addClaimShow(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("claim")
    .description("Look up idempotency keys")
    .examples("show order-1 --account Acme --environment sandbox")
    .command("show")
    .description("Show which service owns an idempotency key, and the status and resource of the stored response")
    .examples("order-1 --account Acme --environment sandbox")
    .argument("<idempotency-key>", "the Idempotency-Key header of the request")
    .addOption(accountOption())
    .addOption(environmentOption("environment of the API key"))
    .reads(async (key: string, { account, environment }: { account?: string; environment: "sandbox" | "live" }) => {
      const found = await platform();
      const { id: accountId } = await findAccount(found, account);
      const caller = { accountId, environment };
      const claim = await onAccounts(found, (gateway) => gateway.getClaim({ caller, idempotencyKey: key }));
      const owner = LEDGER_OWNERS.find((part) => part === claim.owner);
      const { result } = owner
        ? await callPart(found, owner, LedgerService, (ledger) => ledger.read({ caller, idempotencyKey: key }))
        : {};
      const facts = {
        key,
        account: accountId,
        environment,
        owner: claim.owner,
        state: claim.state,
        token: String(claim.token),
        attempts: String(claim.attempts),
        "lease until": claim.leaseUntil,
        "stored response": result?.snapshot ? `status ${result.snapshot.status}` : "none",
        resource: resourceIn(result?.snapshot?.body),
      };
      const json = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name.replace(" ", "_"), value]));
      print(json, toFacts(facts));
    });
}

/** Extracts only the ID of the resource from the stored response, because responses can contain a secret. */
function resourceIn(body: Uint8Array | undefined): string | undefined {
  if (!body) return undefined;
  const { id } = JSON.parse(Buffer.from(body).toString()) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}
