import "@shipping/kit/process/require-node";
import { createInterface } from "node:readline/promises";
import { runAdmin } from "./run-admin.js";

// A reader such as `head` can close the pipe early.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

// Sets the exit status instead of exiting: output to a pipe may not be flushed yet.
process.exitCode = await runAdmin(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
});

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
