import "@shipping/kit/process/require-node";
import { runAdmin } from "./run-admin.js";

// The exit status is set, not exited with: what was printed into a pipe may still be on its way.
process.exitCode = await runAdmin(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
