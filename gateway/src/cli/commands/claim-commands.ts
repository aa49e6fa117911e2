import { fail } from "@shipping/kit/errors";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { Option } from "commander";
import { readClaim } from "../../accounts/read-claim.js";
import { CALL_MS, callService } from "../platform/call-service.js";
import { accountOption, onAccount } from "../platform/on-gateway.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, toFacts } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

const LEDGER_OWNERS = ["records", "carrier", "webhooks"] as const;

/** Adds the commands for idempotency keys. */
export function addClaimCommands(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("claim")
    .description("Look up idempotency keys")
    .addHelpText("after", examples("show order-1 --account Acme --environment sandbox"))
    .command("show")
    .description("Show which service owns an idempotency key, and the status and resource of the stored response")
    .addHelpText("after", examples("order-1 --account Acme --environment sandbox"))
    .argument("<idempotency-key>", "the Idempotency-Key header of the request")
    .addOption(accountOption())
    .addOption(
      new Option("--environment <environment>", "environment of the API key")
        .choices(["sandbox", "live"])
        .makeOptionMandatory(),
    )
    .reads(async (key: string, { account, environment }: { account: string; environment: "sandbox" | "live" }) => {
      const found = await platform();
      const { accountId, claim } = await onAccount(found, account, async (deps, accountId) => ({
        accountId,
        claim: await readClaim(deps, { accountId, environment, key }),
      }));
      if (!claim) throw fail("not_found", `No request of ${accountId} in ${environment} used this key.`);
      const owner = LEDGER_OWNERS.find((part) => part === claim.owner);
      const { result } = owner
        ? await callService(found, owner, LedgerService, (ledger) =>
            ledger.read({ caller: { accountId, environment }, idempotencyKey: key }, { timeoutMs: CALL_MS }),
          )
        : {};
      const facts = {
        key,
        account: accountId,
        environment,
        owner: claim.owner,
        state: claim.state,
        token: String(claim.token),
        attempts: String(claim.attempts),
        "lease until": claim.leaseUntil?.toISOString(),
        "stored response": result?.snapshot ? `status ${result.snapshot.status}` : "none",
        resource: resourceIn(result?.snapshot?.body),
      };
      const json = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name.replace(" ", "_"), value]));
      print(json, toFacts(facts));
    });
}

/** The ID of the resource in the answer, and nothing else from it: answers can contain a secret. */
function resourceIn(body: Uint8Array | undefined): string | undefined {
  if (!body) return undefined;
  const { id } = JSON.parse(Buffer.from(body).toString()) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}
