// `npm run parts` writes this file from the part.yaml of each part.

/** All parts, in the order in which they are listed. */
export const PART_NAMES = ["gateway", "portal", "records", "carrier", "tracking", "webhooks", "mcp"] as const;
export type PartName = (typeof PART_NAMES)[number];

/** The parts with a database. Each answers RPCs. */
export const DATABASE_OWNERS = ["gateway", "portal", "records", "carrier", "tracking", "webhooks"] as const;
export type DatabaseOwner = (typeof DATABASE_OWNERS)[number];

/** The parts with public HTTP. */
export const PUBLIC_PARTS = ["gateway", "portal", "mcp"] as const;
export type PublicPart = (typeof PUBLIC_PARTS)[number];

/** The parts with public HTTP and a port of its own for RPC. */
export const PUBLIC_OWNERS = ["gateway", "portal"] as const;
export type PublicOwner = (typeof PUBLIC_OWNERS)[number];

/** The parts that an installation may leave out. */
export const OPTIONAL_PARTS = ["portal", "mcp"] as const;
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** The parts that use the event bus, each as the user of its name. */
export const BUS_USERS = ["records", "carrier", "webhooks"] as const;
export type BusUser = (typeof BUS_USERS)[number];

/** The parts that publish events. */
export const PUBLISHERS = ["records", "carrier"] as const;
export type Publisher = (typeof PUBLISHERS)[number];

/** The parts with a ledger of answers. */
export const LEDGER_OWNERS = ["records", "carrier", "webhooks"] as const;
export type LedgerOwner = (typeof LEDGER_OWNERS)[number];

/** The parts with data of accounts, in the order of an export. */
export const ACCOUNT_DATA_OWNERS = ["gateway", "portal", "records", "carrier", "tracking", "webhooks"] as const;
export type AccountDataOwner = (typeof ACCOUNT_DATA_OWNERS)[number];

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

export const PARTS: Readonly<Record<PartName, PartFacts>> = {
  gateway: {
    folder: "gateway",
    ports: {
      http: 8080,
      rpc: 8090,
      internal: 8091,
      ops: 9090,
    },
    calls: ["records", "carrier", "tracking", "webhooks"],
    requests: {},
    ownsStream: false,
    settings: [
      "RATE_LIMIT_PER_MINUTE",
      "CONCURRENCY_LIMIT",
      "ACCOUNT_CONCURRENCY_LIMIT",
      "ADDRESS_REQUESTS_PER_SECOND",
      "REQUEST_LOG_DAYS",
    ],
    paths: {
      exact: [],
      prefix: ["/"],
    },
  },
  portal: {
    folder: "services/portal",
    ports: {
      http: 8080,
      rpc: 8090,
      ops: 9090,
    },
    enabled: true,
    calls: ["gateway", "records", "carrier", "tracking", "webhooks"],
    requests: {},
    ownsStream: false,
    settings: [
      "OIDC_ISSUER",
      "OIDC_CLIENT_ID",
      "MAIL_FROM",
      "SMTP_PLAINTEXT_TRUSTS_NETWORK",
      "OIDC_CLIENT_SECRET",
      "SMTP_URL",
    ],
    paths: {
      exact: [
        "/",
        "/llms.txt",
        "/llms-full.txt",
        "/robots.txt",
        "/sitemap.xml",
        "/style.css",
        "/code.js",
        "/favicon.svg",
        "/favicon.ico",
      ],
      prefix: ["/docs", "/developers"],
    },
  },
  records: {
    folder: "services/records",
    ports: {
      rpc: 8080,
      ops: 9090,
    },
    calls: ["webhooks"],
    requests: {},
    ownsStream: false,
    settings: [],
    paths: {
      exact: [],
      prefix: [],
    },
  },
  carrier: {
    folder: "services/carrier",
    ports: {
      rpc: 8080,
      ops: 9090,
    },
    calls: ["records", "tracking", "webhooks"],
    requests: {},
    ownsStream: false,
    settings: [],
    paths: {
      exact: [],
      prefix: [],
    },
  },
  tracking: {
    folder: "services/tracking",
    ports: {
      rpc: 8080,
      ops: 9090,
    },
    calls: [],
    requests: {},
    ownsStream: false,
    settings: [],
    paths: {
      exact: [],
      prefix: [],
    },
  },
  webhooks: {
    folder: "services/webhooks",
    ports: {
      rpc: 8080,
      ops: 9090,
    },
    calls: [],
    requests: {},
    ownsStream: true,
    settings: ["MAX_ATTEMPTS_IN_FLIGHT", "EGRESS_PROXY_URL", "RETENTION_DAYS", "CLOCK_SPEEDUP", "SECRETS_KEYS"],
    paths: {
      exact: [],
      prefix: [],
    },
  },
  mcp: {
    folder: "services/mcp",
    ports: {
      http: 8080,
      ops: 9090,
    },
    enabled: false,
    calls: [],
    requests: {
      API_URL: {
        part: "gateway",
        port: "internal",
      },
      DOCUMENTATION_URL: {
        part: "portal",
        port: "http",
      },
    },
    ownsStream: false,
    settings: ["MCP_ALLOW_LIVE", "MCP_TOOLS"],
    paths: {
      exact: ["/mcp", "/mcp/", "/register"],
      prefix: [],
    },
  },
};
