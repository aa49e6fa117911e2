import { nkeys } from "@nats-io/transport-node";

type Pair = ReturnType<typeof nkeys.createUser>;

const NO_LIMITS = { subs: -1, data: -1, payload: -1 };

/** An account with JetStream and these limits, as `nsc` makes it: the server's configuration, and credentials of new users. */
export function natsAccount(limits: Readonly<Record<string, unknown>> = {}) {
  const [operator, system, account] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()];
  const jetStream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1, ...limits };
  const accounts = [system, account].map((pair) => {
    const key = pair.getPublicKey();
    const own = { ...NO_LIMITS, conn: -1, ...(pair === account && jetStream) };
    return `${key}: ${token(operator, key, { type: "account", limits: own })}`;
  });
  const config = [
    `operator: ${token(operator, operator.getPublicKey(), { type: "operator" })}`,
    "resolver: MEMORY",
    `system_account: ${system.getPublicKey()}`,
    `resolver_preload: { ${accounts.join(", ")} }`,
  ].join("\n");
  return {
    config,
    credentials() {
      const user = nkeys.createUser();
      const jwt = token(account, user.getPublicKey(), { type: "user", ...NO_LIMITS });
      const seed = Buffer.from(user.getSeed()).toString();
      const block = (what: string, text: string) => `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n\n`;
      return block("NATS USER JWT", jwt) + block("USER NKEY SEED", seed);
    },
  };
}

/** A NATS token: the claims of `issuer` about a key. */
function token(issuer: Pair, subject: string, nats: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { jti: subject, iat: 1, iss: issuer.getPublicKey(), name: "test", sub: subject };
  const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode({ ...claims, nats: { ...nats, version: 2 } })}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString("base64url")}`;
}
