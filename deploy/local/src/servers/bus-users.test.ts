import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { type BusUser, busAuthorization, busUsers } from "./bus-users.js";
import { findNatsServer } from "./find-nats-server.js";
import { startNatsServer } from "./nats-server.js";

const dataDir = join(tmpdir(), `bus-users-${process.pid}`);
afterAll(() => rm(dataDir, { recursive: true, force: true }));

// NATS reads a variable as a configuration value: without quotes it would take these for numbers, sizes, booleans, times, variables, comments, lists,
// maps, blocks and escapes. Some of them would only let in whoever sends less: `a # b` would be the password `a`.
const PASSWORDS = [
  ...["12345", "007", "10k", "5GB", "-3", "1.5", "true", "off"],
  ...["2026-01-01T00:00:00Z", "$HOME", "$NOWHERE", "a b", "a # b", " a "],
  // From reports on nats-server: 6891, 3431, 5186, and k8s 1139.
  ...["4e2abc", "2GP3JZCZ4G7JNWkzBhVYx9ZXtUiu", "8m4dwr", "33feda22ea"],
  ...["it's", "'a'", '"a"', 'a"#b', "a\\", "\\t", "[1]", "{a: 1}", "(a", "a}", "a,b", "a;b", "include a", "a\nb\tc"],
];
const rounds = Array.from({ length: Math.ceil(PASSWORDS.length / busUsers.length) }, (_, round) =>
  busUsers.map((user, at): [BusUser, string] => {
    const password = PASSWORDS[(round * busUsers.length + at) % PASSWORDS.length] as string;
    return [user, password];
  }),
);

test.each(rounds.map((round) => [round]))("NATS takes passwords as they are: %j", async (round) => {
  const program = await findNatsServer({ env: process.env, say: () => {} });
  const authorization = busAuthorization(Object.fromEntries(round) as Record<BusUser, string>);
  const server = await startNatsServer({ program, dataDir, authorization });
  try {
    for (const [user, pass] of round) {
      const login = { servers: server.url, user, reconnect: false };
      await (await connect({ ...login, pass })).close();
      await expect(connect({ ...login, pass: pass.slice(0, 1) })).rejects.toThrow("Authorization Violation");
    }
  } finally {
    await server.stop();
  }
});

test.each(["", `$2a$11$${"a".repeat(53)}`])("a password that NATS would not compare is refused: %j", (password) => {
  const passwords = Object.fromEntries(busUsers.map((user) => [user, password])) as Record<BusUser, string>;
  expect(() => busAuthorization(passwords)).toThrow(/password of records at NATS must not/);
});
