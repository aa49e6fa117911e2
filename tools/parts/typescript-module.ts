import type { PartDeclaration } from "./declaration.js";

/** The module with which programs know the parts: `proto/parts.ts`. */
export function typescriptModule(parts: PartDeclaration[]): string {
  const list = (doc: string, name: string, type: string, chosen: PartDeclaration[]) => `
/** ${doc} */
export const ${name} = ${JSON.stringify(chosen.map((part) => part.name))} as const;
export type ${type} = (typeof ${name})[number];
`;
  const offering = (service: string) => parts.filter(({ offers }) => offers.includes(service));
  return `// \`npm run parts\` writes this file from the part.yaml of each part.
${list("All parts, in the order in which they are listed.", "PART_NAMES", "PartName", parts)}
${list(
  "The parts with a database. Each answers RPCs.",
  "DATABASE_OWNERS",
  "DatabaseOwner",
  parts.filter(({ database }) => database),
)}
${list(
  "The parts with public HTTP.",
  "PUBLIC_PARTS",
  "PublicPart",
  parts.filter(({ ports }) => ports.http),
)}
${list(
  "The parts with public HTTP and a port of its own for RPC.",
  "PUBLIC_OWNERS",
  "PublicOwner",
  parts.filter(({ ports }) => ports.http && ports.rpc),
)}
${list(
  "The parts that an installation may leave out.",
  "OPTIONAL_PARTS",
  "OptionalPart",
  parts.filter(({ optional }) => optional),
)}
${list(
  "The parts that use the event bus, each as the user of its name.",
  "BUS_USERS",
  "BusUser",
  parts.filter(({ bus }) => bus),
)}
${list(
  "The parts that publish events.",
  "PUBLISHERS",
  "Publisher",
  parts.filter(({ bus }) => bus?.publishes),
)}
${list("The parts with a ledger of answers.", "LEDGER_OWNERS", "LedgerOwner", offering("ledger.v1.LedgerService"))}
${list(
  "The parts with data of accounts, in the order of an export.",
  "ACCOUNT_DATA_OWNERS",
  "AccountDataOwner",
  offering("operations.v1.OwnerOperationsService"),
)}
/** The declaration of a part, as far as programs need it. */
export interface PartFacts {
  /** The folder of the part in the repository. */
  folder: string;
  /** The ports on which it listens: for public HTTP, RPC, HTTP of other parts only, and health and metrics. */
  ports: { readonly http?: number; readonly rpc?: number; readonly internal?: number; readonly ops: number };
  /** Whether it runs by default; only for a part that an installation may leave out. */
  enabled?: boolean;
  /** The parts that it calls by RPC. */
  calls: readonly PartName[];
  /** The ports of other parts that it calls by HTTP, by the setting with the URL. */
  requests: Readonly<Record<string, { readonly part: PartName; readonly port: "http" | "internal" }>>;
  /** Whether it creates the event stream and consumes it. */
  ownsStream: boolean;
  /** The settings that it alone takes, the secret ones too. */
  settings: readonly string[];
  /** The public paths that it answers. */
  paths: { readonly exact: readonly string[]; readonly prefix: readonly string[] };
}

export const PARTS: Readonly<Record<PartName, PartFacts>> = ${JSON.stringify(
    Object.fromEntries(parts.map((part) => [part.name, factsOf(part)])),
    undefined,
    2,
  )};
`;
}

function factsOf({ folder, ports, optional, calls, requests, bus, settings, secrets, paths }: PartDeclaration) {
  return {
    folder,
    ports,
    enabled: optional?.enabled,
    calls,
    requests: Object.fromEntries(Object.entries(requests).map(([key, { part, port }]) => [key, { part, port }])),
    ownsStream: bus?.ownsStream ?? false,
    settings: [...new Set([...Object.keys(settings), ...Object.keys(secrets)])],
    paths: paths ?? { exact: [], prefix: [] },
  };
}
