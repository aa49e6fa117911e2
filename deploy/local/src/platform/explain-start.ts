/** Explains a failed start in a sentence, for a person at a terminal. A cancelled start ends silently. */
export async function explainStart<T>(start: () => Promise<T>, stopping?: AbortSignal): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (stopping?.aborted) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** The result of `work`, unless it is called off before: then the reason is thrown, and `work` is left to itself. */
export function unless<T>(calledOff: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!calledOff) return work;
  const abort = new Promise<never>((_, reject) => {
    if (calledOff.aborted) reject(calledOff.reason);
    calledOff.addEventListener("abort", () => reject(calledOff.reason), { once: true });
  });
  return Promise.race([work, abort]);
}
