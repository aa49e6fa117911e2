/**
 * Something that the test files of this worker share, or those of all workers, which `test-servers.ts` starts for the first of them. Some seconds after the last
 * that uses it has released it, it is stopped: an idle platform costs others time.
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
