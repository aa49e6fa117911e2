/** Modules that get fault points in a process, by the end of their URL, and the wrapper of each. */
const WRAPPED = {
  "/kit/dist/ledger/ledger.js": "./ledger.mjs",
  "/kit/dist/events/jetstream-publisher.js": "./bus.mjs",
  "/kit/dist/rpc/client.js": "./client.mjs",
  "/carrier/simulator/dist/adapter.js": "./adapter.mjs",
};

/** Resolves such a module to its wrapper, and only the wrapper's import to the module itself. */
export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context);
  const end = Object.keys(WRAPPED).find((path) => resolved.url.endsWith(path));
  if (!end) return resolved;
  const url = new URL(WRAPPED[end], import.meta.url).href;
  return context.parentURL === url ? resolved : { ...resolved, url };
}
