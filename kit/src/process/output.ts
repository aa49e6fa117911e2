import type { Writable } from "node:stream";

/** The most bytes of lines that wait for the reader. */
const MAX_WAITING_BYTES = 4_194_304;

let dropped = 0;

/** Returns the number of lines of this process's log that were dropped since it started. */
export const droppedLines = () => dropped;

const outputs = new WeakMap<Writable, ReturnType<typeof openOutput>>();

/**
 * Writes lines to a stream whose reader may pause or hang, such as the collector of a container's log. The process goes on: lines wait in
 * memory up to a limit, and further ones are dropped and counted. `resumed` is called with their number when the stream is read again. The
 * logs of a process share a stream, and its first log reports the lines that all of them lost. Node writes to pipes without blocking
 * (pino's own destinations block the process or one of Node's four threads).
 */
export function boundedOutput(stream: Writable, resumed: (lines: number) => void) {
  const output = outputs.get(stream) ?? openOutput(stream, resumed);
  outputs.set(stream, output);
  return output;
}

function openOutput(stream: Writable, resumed: (lines: number) => void) {
  let missed = 0;
  // The reader has closed the stream, which is no reason to end.
  stream.on("error", () => {});
  stream.on("drain", () => {
    if (missed === 0) return;
    const lines = missed;
    missed = 0;
    resumed(lines);
  });
  return {
    write(line: string): void {
      if (stream.writable && stream.writableLength + line.length <= MAX_WAITING_BYTES) return void stream.write(line);
      missed++;
      dropped++;
    },
  };
}
