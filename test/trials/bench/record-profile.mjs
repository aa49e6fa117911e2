// Imported by every process of a platform that is profiled (Node 20 takes no --cpu-prof from NODE_OPTIONS): records where time goes, from
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
