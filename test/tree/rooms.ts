/** The folders of a package from top to bottom: a folder imports only from those below it. `.` stands for the files beside the folders. */
export const rooms: Record<string, readonly string[]> = {
  "kit/src": [
    "service",
    "ledger",
    "derived",
    "events",
    "http/server",
    "http",
    "rpc",
    "rpc/unary",
    "postgres",
    "postgres/releases",
    "tls",
    "process",
    ".",
  ],
  "api/src": ["openapi", "operations", ".", "input"],
  "site/src": [".", "reference", "guides", "layout", "assets"],
  "gateway/src": [
    ...[".", "operators", "access", "api/middleware", "api/handlers", "api", "accounts", "admission"],
    ...["idempotency", "request-log", "database", "service-clients"],
  ],
  "cli/src": [".", "commands", "account-data", "tools", "platform"],
  "services/records/src": [".", "write", "read", "search", "resource"],
  "services/carrier/src": [".", "neighbours", "bookings", "carriers", "label", "label/letters"],
  "services/mcp/src": ["."],
  "services/webhooks/src": [".", "operator", "dispatch", "health", "events", "stream", "subscriptions", "egress"],
  "services/portal/src": [
    ...[".", "operator", "account", "overview", "search", "sign-in", "webhooks", "resources", "events", "read"],
    ...["requests", "keys", "page", "session", "limits", "members", "audit", "feed", "mail", "database"],
  ],
  "deploy/local/src": ["cluster", "demo", "listen", "platform", "databases", "servers", "."],
};
