import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { type BusIdentity, toBusIdentity } from "@shipping/kit/events/bus-identity";
import { newId } from "@shipping/kit/ids";
import type { Env } from "@shipping/kit/process/config";
import { findNatsServer } from "@shipping/local/servers/find-nats-server";
import { type NatsServer, startNatsServer } from "@shipping/local/servers/nats-server";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";

/** An event of a new account, with a body of this many bytes. */
export function newEvent(type = "order.created", bytes = 2): Event {
  return create(EventSchema, {
    id: newId("evt", randomBytes),
    type,
    accountId: newId("acc", randomBytes),
    environment: "sandbox",
    body: randomBytes(bytes),
  });
}

/** The credentials of a part with a name and a password at NATS. */
export function identityWith(user: string, password: string): BusIdentity {
  return toBusIdentity({
    NATS_USER: user,
    NATS_PASSWORD: password,
    NATS_ANONYMOUS_TRUSTS_NETWORK: false,
    NODE_ENV: "production",
  });
}

/** A NATS server of a test's own. */
export interface OwnNats extends NatsServer {
  folder: string;
  /** Writes a file beside its data that only its owner can read, and returns its path. */
  fileOf(name: string, content: string): string;
}

/** Starts NATS in a folder of its own, which `stop` removes. The configuration may name files, and variables of `env`. */
export async function ownNats(
  configuration: string | ((fileOf: OwnNats["fileOf"]) => Promise<string>) = "",
  env: Env = {},
): Promise<OwnNats> {
  const folder = mkdtempSync(join(tmpdir(), "own-nats-"));
  const fileOf: OwnNats["fileOf"] = (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, 0o600);
    return path;
  };
  const text = typeof configuration === "string" ? configuration : await configuration(fileOf);
  const program = await findNatsServer({ env: process.env, say: () => {} });
  const authorization = { configFile: fileOf("nats.conf", text), env };
  const server = await startNatsServer({ program, dataDir: join(folder, "data"), authorization });
  const stop = () => server.stop().then(() => rmSync(folder, { recursive: true }));
  return { ...server, folder, fileOf, stop };
}
