/** A start that fails is told in a sentence, to a person at a terminal. One that was called off ends without a word. */
export async function explainStart<T>(start: () => Promise<T>, stopping?: AbortSignal): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (stopping?.aborted) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
