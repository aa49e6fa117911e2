import { parseArgs } from "node:util";

/** The options of `npm run listen`. */
export interface ListenOptions {
  /** Where it listens; 0 takes a free port. */
  port: number;
  /** Signatures by any of these are good. */
  secrets: string[];
  /** Whether it makes a subscription of its own. */
  subscribe: boolean;
}

/** Reads `--port 9090`, `--secret whsec_…` (several times if need be) and `--subscribe`. */
export function listenOptions(args: string[]): ListenOptions {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string", default: "9090" },
      secret: { type: "string", multiple: true, default: [] },
      subscribe: { type: "boolean", default: false },
    },
  });
  const { port, secret: secrets, subscribe } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new Error(`--port takes a whole number from 0 to 65535, not ${JSON.stringify(port)}.`);
  }
  if (!secrets.every((secret) => secret.startsWith("whsec_"))) {
    throw new Error("--secret takes a subscription's whole secret, which begins with whsec_.");
  }
  if (secrets.length === 0 && !subscribe) {
    throw new Error("Say --subscribe, or --secret whsec_… for a subscription that you have made.");
  }
  return { port: Number(port), secrets, subscribe };
}
