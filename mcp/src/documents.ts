/** How long a document may take to arrive. */
export const TIMEOUT_MS = 15_000;

/** Reads a text of the documentation at an origin. */
export async function readDocument(origin: string, path: string): Promise<string> {
  const response = await fetch(origin + path, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.text();
}
