import { Session } from "node:inspector/promises";
import type { Target } from "./targets.js";

const MAX_BYTES = 4096;
/** Number of inputs between two reads of the coverage, which takes milliseconds. */
const BATCH = 50;

export interface Found {
  /** The smallest inputs that together reach all covered blocks. */
  corpus: Buffer[];
  inputs: number;
  failure?: { input: Buffer; error: unknown };
}

/** Changes known inputs, and keeps those that reach new blocks of the parser, until the time is over or a check fails. */
export async function fuzz(
  target: Target,
  known: readonly Buffer[],
  endsAt: number,
  random: () => number,
): Promise<Found> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const seen = new Set<string>();
  const corpus: { input: Buffer; blocks: string[] }[] = [];

  /** The blocks that have run since the last call, and how often: once, a few times, or many. */
  async function takeBlocks(): Promise<string[]> {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => target.files.some((file) => url.split("?")[0]?.endsWith(file)))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map(
              ({ startOffset, endOffset, count }) =>
                `${url} ${startOffset} ${endOffset} ${Math.min(Math.floor(Math.log2(count)), 4)}`,
            ),
        ),
      );
  }

  async function keepIfNew(input: Buffer): Promise<void> {
    await takeBlocks();
    await target.check(input);
    const blocks = await takeBlocks();
    const isNew = blocks.some((block) => !seen.has(block));
    for (const block of blocks) seen.add(block);
    if (isNew) corpus.push({ input, blocks });
  }

  let inputs = 0;
  let current = Buffer.of();
  try {
    for (current of [
      ...target.seeds.map((seed) => Buffer.from(seed, target.files[0]?.includes("codec") ? "latin1" : "utf8")),
      ...known,
    ] as Buffer<ArrayBuffer>[])
      await keepIfNew(current);
    while (Date.now() < endsAt) {
      const batch = Array.from({ length: BATCH }, () => mutate(corpus, random));
      await takeBlocks();
      for (current of batch) await target.check(current);
      inputs += batch.length;
      if ((await takeBlocks()).some((block) => !seen.has(block))) for (current of batch) await keepIfNew(current);
    }
    return { corpus: smallest(corpus), inputs };
  } catch (error) {
    return { corpus: smallest(corpus), inputs, failure: { input: current, error } };
  } finally {
    session.disconnect();
  }
}

/** The inputs that are needed to reach all blocks, short ones first. */
function smallest(corpus: { input: Buffer; blocks: string[] }[]): Buffer[] {
  const covered = new Set<string>();
  return corpus
    .toSorted((a, b) => a.input.length - b.input.length)
    .filter(({ blocks }) => {
      const isNeeded = blocks.some((block) => !covered.has(block));
      for (const block of blocks) covered.add(block);
      return isNeeded;
    })
    .map(({ input }) => input);
}

function mutate(corpus: readonly { input: Buffer }[], random: () => number): Buffer<ArrayBuffer> {
  const below = (count: number) => Math.floor(random() * count);
  const any = () => corpus[below(corpus.length)]?.input ?? Buffer.of();
  let bytes = Buffer.from(any());
  for (let changes = 1 + below(4); changes > 0; changes -= 1) {
    const at = below(bytes.length + 1);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const length = 1 + below(Math.min(16, after.length || 1));
    const other = any();
    const from = below(other.length);
    bytes = [
      () => Buffer.concat([before, Buffer.of(below(256)), after.subarray(1)]),
      () => Buffer.concat([before, Buffer.of(below(128)), after]),
      () => Buffer.concat([before, after.subarray(length)]),
      () => Buffer.concat([before, after.subarray(0, length), after]),
      () => Buffer.concat([before, other.subarray(from, from + 1 + below(32)), after]),
      () => Buffer.concat([before, other.subarray(from)]),
      // A character that takes more than a byte, or that some parser treats specially.
      () =>
        Buffer.concat([
          before,
          Buffer.from([...'\0\ud83d\udce6\ue000\u202e\u0130\u00df€\\"%;,=[{'][below(16)] ?? ""),
          after,
        ]),
      () =>
        Buffer.from(
          bytes.toString("latin1").replace(/\d+/, (digits) => String(BigInt(digits) + BigInt(below(3) - 1))),
          "latin1",
        ),
    ][below(8)]!();
  }
  return bytes.subarray(0, MAX_BYTES);
}
