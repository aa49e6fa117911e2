import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createCustomers } from "../bench/customers.js";
import type { Platform } from "../bench/platform.js";
import { parcelBody } from "../kit/bodies.js";
import { send } from "../kit/send.js";
import type { AccessOfPortal, Known } from "./attacks/attack.js";
import { READY } from "./attacks/attacks.js";
import { addViewer } from "./attacks/member.js";

const KEYS = 50;
const ATTACK = fileURLToPath(new URL("run-attack.ts", import.meta.url));

/** The knowledge of a customer with an account of its own. */
export async function newAccount({ cluster, target }: Platform, { receiver }: { receiver: string }): Promise<Known> {
  const [account] = await createCustomers(cluster.databases.gateway, { accounts: 1, keysOfEach: KEYS });
  const { address } = await cluster.process("records-1");
  if (!account) throw new Error("The customer has no account.");
  const { accountId, keys } = account;
  const { sign_in_email: member, portals, gateways, mcp = "" } = await cluster.now();
  const [baseUrl = "", portal = ""] = [gateways[0], portals[0]];
  const viewer = await addViewer(cluster, accountId);
  const label = await createLabel(baseUrl, keys[0] ?? "");
  const mailFolder = join(cluster.dataDir, "mail");
  const access = await accessOfPortal((await cluster.process("portal-1")).pid);
  const accountIds = [accountId, ...target.customers.all.map((customer) => customer.accountId)];
  const inside = { records: address, access: { ...access, accountIds } };
  return { baseUrl, portal, mcp, ...inside, keys, viewer, label, receiver, member, mailFolder };
}

async function createLabel(baseUrl: string, key: string): Promise<string> {
  const create = async (path: string, body: object): Promise<string> => {
    const { status, text } = await send(baseUrl, { method: "POST", path, key, idempotencyKey: path, body });
    if (status !== 201) throw new Error(`POST ${path} answers ${status}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const shipment = await create("/shipments", parcelBody);
  return create("/labels", { shipment_id: shipment, rate_id: `rate_test_${shipment}` });
}

/** Reads the gateway's URL and, with TLS, the certificate from the environment of a process of the portal. */
export async function accessOfPortal(pid: number): Promise<Omit<AccessOfPortal, "accountIds">> {
  const lines = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
  const env = Object.fromEntries(lines.filter(Boolean).map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const { GATEWAY_URL: url = "", TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } = env;
  return { url, files: { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE } };
}

export type Attacker = Awaited<ReturnType<typeof prepareAttack>>;

/** An attacker that is ready. */
export async function prepareAttack(name: string, known: Known) {
  const args = [...process.execArgv, ATTACK, name, JSON.stringify(known)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  if (first !== READY) throw new Error(`The attacker ${name} did not get ready.`);
  return {
    name,
    pid: child.pid!,
    begin: () => void child.stdin.write("begin\n"),
    /** Ends a round. Returns the counters of all rounds so far. */
    async pause(): Promise<Record<string, number>> {
      child.stdin.write("pause\n");
      const { value: counted } = await lines.next();
      if (counted === undefined) throw new Error(`The attacker ${name} ended early.`);
      return JSON.parse(counted);
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
