import type { TlsFiles } from "@shipping/kit/tls/tls";

/** The means with which a portal calls the gateway, and the accounts that it knows. */
export interface AccessOfPortal {
  /** URL of the gateway's RPCs. */
  url: string;
  /** The portal's certificate, if the parts have some. */
  files: TlsFiles;
  accountIds: string[];
}

/** An attacker's knowledge: URLs, and the keys of one account of its own. */
export interface Known {
  /** Versioned root of the API, at a gateway. */
  baseUrl: string;
  /** Scheme, host and port of a portal. */
  portal: string;
  /** Scheme, host and port of the MCP server. */
  mcp: string;
  /** `host:port` of records' RPCs, for an attacker inside the network. */
  records: string;
  /** For an attacker with what a portal has. */
  access: AccessOfPortal;
  keys: string[];
  /** The cookie of a viewer of that account. */
  viewer: string;
  /** A label of that account in the sandbox. */
  label: string;
  /** URL of the victim's receiver of events. */
  receiver: string;
  /** The email address of a member, and the folder into which the platform writes its emails. */
  member: string;
  mailFolder: string;
}

/** Maximum of an attacker's counters. */
export const MOST: Readonly<Record<string, number>> = { "emails to the member": 10, "refused own requests": 0 };

/** An attacker: it continues until it is stopped, and starts again for each round. */
export interface Attack {
  known: Known;
  stopped: AbortSignal;
  /** Counts an outcome of the attack. */
  count(what: string): void;
}
