/** The settings of the program, from its environment. Throws with all that is wrong. */
export function readConfig({ SHIPPING_URL, SHIPPING_KEY, MCP_ALLOW_LIVE }: NodeJS.ProcessEnv = process.env) {
  const faults = [
    !/^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/.test(SHIPPING_URL ?? "") &&
      "SHIPPING_URL must be the base URL of the API, such as https://shipping.example.com/api/v1. Only on this machine may it begin with http.",
    !/^service_(test|live)_\w+$/.test(SHIPPING_KEY ?? "") &&
      "SHIPPING_KEY must be an API key. Create one for this server, with few scopes.",
    !["true", "false", undefined].includes(MCP_ALLOW_LIVE) && "MCP_ALLOW_LIVE must be true or false.",
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return {
    baseUrl: (SHIPPING_URL ?? "").replace(/^(.*[^/])\/+$/s, "$1"),
    apiKey: SHIPPING_KEY ?? "",
    allowLive: MCP_ALLOW_LIVE === "true",
  };
}
