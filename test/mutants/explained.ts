import type { Mutant } from "./find-mutants.js";

/** Mutants that no test can notice, or that none should. `original` is their text in the file, or the part of it that `replacement` stands for. */
export const explained: { file: string; original: string; replacement: string; why: string }[] = [
  {
    file: "kit/src/ledger/outbox.ts",
    original: "ORDER BY id",
    replacement: "",
    why: "PostgreSQL reads the rows from the index of unpublished events, which is in this order. Only ORDER BY says that it must.",
  },
  {
    file: "services/webhooks/src/egress/egress-guard.ts",
    original: "remoteAddress === undefined",
    replacement: "false",
    why: "For ipaddr, undefined is no valid address either; the type checker needs the comparison.",
  },
  {
    file: "services/webhooks/src/egress/egress-proxy.ts",
    original: "head.length > 0",
    replacement: "true",
    why: "To put back no bytes does nothing.",
  },
];

const known = new Set(
  explained.map(({ file, original, replacement }) => JSON.stringify([file, original, replacement])),
);

export function isExplained({ file, original, replacement }: Omit<Mutant, "id" | "line">): boolean {
  return known.has(JSON.stringify([file, original, replacement]));
}
