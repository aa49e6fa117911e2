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
