import type { AdminDeps } from "@shipping/gateway/admin/manage-accounts";
import { createAccount } from "@shipping/gateway/admin/manage-accounts";
import { createKey } from "@shipping/gateway/admin/manage-keys";
import type { DataFolder } from "./data-folder.js";

/** The account that every local platform begins with. */
export interface DemoAccount {
  account_id: string;
  sandbox_key: string;
  live_key: string;
}

/** The demo account of a data folder; made at its first start, and again when its database has been replaced. */
export async function demoAccount(folder: DataFolder, deps: AdminDeps): Promise<DemoAccount> {
  const kept = JSON.parse(await folder.keep("demo-account.json", () => "{}")) as Partial<DemoAccount>;
  if (kept.account_id && (await deps.prisma.account.findUnique({ where: { id: kept.account_id } }))) {
    return kept as DemoAccount;
  }
  const { id: accountId } = await createAccount(deps, { name: "Demo" });
  const sandbox = await createKey(deps, { accountId, environment: "sandbox" });
  const live = await createKey(deps, { accountId, environment: "live" });
  const made = { account_id: accountId, sandbox_key: sandbox.key, live_key: live.key };
  await folder.publish("demo-account.json", made);
  return made;
}
