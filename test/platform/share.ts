/**
 * A service that the test files of this worker share, or those of all workers. `test-servers.ts` starts it for the first user and stops it some
 * seconds after the last one has released it, because an idle platform still takes CPU.
 */
export async function share<Shared>(
  kind: string,
  worker = process.env.JEST_WORKER_ID,
): Promise<{ shared: Shared; release(): Promise<void> }> {
  const url = `${process.env.TEST_SHARED_URL}/${kind}/${worker}`;
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The ${kind} that tests share did not start: ${text}`);
  return { shared: JSON.parse(text), release: async () => void (await fetch(url, { method: "DELETE" })) };
}
