/** Reads the settings of the program from its environment. Throws one error with all faults. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env) {
  const { SHIPPING_URL = "", SHIPPING_KEY = "", MCP_ALLOW_LIVE, MCP_TOOLS } = environment;
  const faults = [
    findFault(SHIPPING_URL),
    !/^service_(test|live)_\w+$/.test(SHIPPING_KEY) &&
      "SHIPPING_KEY must be an API key. Create one for this server, with few scopes.",
    !["true", "false", undefined].includes(MCP_ALLOW_LIVE) && "MCP_ALLOW_LIVE must be true or false.",
    !["read", "all", undefined].includes(MCP_TOOLS) && "MCP_TOOLS must be read or all.",
  ].filter((fault) => fault);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return {
    baseUrl: SHIPPING_URL.replace(/^(.*[^/])\/+$/s, "$1"),
    apiKey: SHIPPING_KEY,
    allowLive: MCP_ALLOW_LIVE === "true",
    readOnly: MCP_TOOLS === "read",
  };
}

/** Checks a base URL and returns its fault. The fault does not repeat the URL, which may contain a password. */
function findFault(text: string): string | undefined {
  if (!/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(text) || !URL.canParse(text))
    return "SHIPPING_URL must be the base URL of the API, such as https://shipping.example.com/api/v1. Only on this machine may it begin with http.";
  const { username, password } = new URL(text);
  if (username || password)
    return "SHIPPING_URL must have no credentials. The API key in SHIPPING_KEY is all that the API asks for.";
  if (/[?#]/.test(text)) return "SHIPPING_URL must have no query and no fragment.";
  return undefined;
}
