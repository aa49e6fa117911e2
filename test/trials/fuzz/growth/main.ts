import startServers from "../../../platform/jest/global-setup.js";
import { runGrowth } from "./run-growth.js";

// The program of `npm run trial -- fuzz growth`. Its argument is a part of the names of places.
await startServers();
try {
  const faults = await runGrowth(process.argv[2] ?? "", (line) => console.log(line));
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await globalThis.stopTestServers();
}
