/** Returns the samples in a text of metrics, by series. */
export function samplesIn(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}
