/** Stops the servers of `global-setup.ts`. */
// biome-ignore lint/style/noDefaultExport: Jest calls the default export.
export default function globalTeardown(): Promise<void> {
  return globalThis.stopTestServers();
}
