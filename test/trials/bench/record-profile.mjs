// Imported by every process of a platform that is profiled (Node 20 does not accept --cpu-prof in NODE_OPTIONS): records a CPU profile from
// SIGUSR2 until the process ends.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";

const session = new Session();

process.once("SIGUSR2", () => {
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  process.once("exit", () => {
    session.post("Profiler.stop", (_, { profile }) => {
      writeFileSync(join(process.env.PROFILES, `${process.pid}.cpuprofile`), JSON.stringify(profile));
    });
  });
});
