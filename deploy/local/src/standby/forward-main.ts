import "@shipping/kit/process/require-node";
import { FORWARDING, forward } from "./forward.js";

// Started by the cluster: the port to listen on, and the file that says where it leads.
const [port, file = ""] = process.argv.slice(2);
await forward({ port: Number(port), file });
process.stderr.write(`${FORWARDING}\n`);
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit());
