/** The folders of a package, the upper ones first: one imports only from those below it. `.` are the files that stand in none. */
export const rooms: Record<string, readonly string[]> = {
  "kit/src": ["service", "ledger", "events", "rpc", "rpc/unary", "postgres", "tls", "process", "."],
  "gateway/src": [
    ...[
      "cli",
      "cli/commands",
      "cli/account-data",
      "cli/tools",
      "cli/platform",
      ".",
      "developers",
      "openapi",
      "reference",
      "guides",
    ],
    ...["account", "overview", "search", "sign-in", "webhooks", "resources", "requests", "keys", "page", "session"].map(
      (room) => `developers/${room}`,
    ),
    ...["api/endpoints", "api/middleware", "api", "accounts", "mail", "site", "http", "admission", "input"],
    ...["idempotency", "request-log", "database", "service-clients"],
  ],
  "services/records/src": [".", "write", "read", "resource"],
  "services/carrier/src": [".", "neighbours", "bookings", "carriers", "label", "label/letters"],
  "services/webhooks/src": [".", "operator", "dispatch", "health", "events", "subscriptions", "egress"],
  "deploy/local/src": ["cluster", "demo", "listen", "platform", "databases", "servers", "."],
};
