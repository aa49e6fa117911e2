/** Modules that a process gets with fault points, by the end of their URL, and what wraps each of them. */
const WRAPPED = {
  "/kit/dist/ledger/ledger.js": "./ledger.mjs",
  "/kit/dist/events/jetstream-bus.js": "./bus.mjs",
  "/kit/dist/rpc/client.js": "./client.mjs",
  "/carrier/simulator/dist/adapter.js": "./adapter.mjs",
};

/** Resolves such a module to its wrapper, which alone gets the module itself. */
export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  const end = Object.keys(WRAPPED).find((path) => resolved.url.endsWith(path));
  if (!end) return resolved;
  const url = new URL(WRAPPED[end], import.meta.url).href;
  return context.parentURL === url ? resolved : { ...resolved, url };
}
