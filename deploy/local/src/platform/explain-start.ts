/** Prints the error of a failed start and exits. A cancelled start ends silently. */
export async function explainStart<T>(start: () => Promise<T>, stopping?: AbortSignal): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (stopping?.aborted) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Returns the result of `work`, or throws when the signal aborts; `work` then continues unobserved. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const abort = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, abort]);
}
