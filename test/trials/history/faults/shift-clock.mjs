// Loaded into every process of a cluster by NODE_OPTIONS: shifts its wall clock by as many milliseconds as CLOCKS_FILE has for its port, from one
// moment to the next. Timers and `performance.now()` are unchanged, because they do not follow the wall clock.
import { readFileSync } from "node:fs";

const TrueDate = Date;
const trueNow = Date.now;
let aheadMs = 0;

function look() {
  try {
    aheadMs = JSON.parse(readFileSync(process.env.CLOCKS_FILE, "utf8"))[process.env.PORT] ?? 0;
  } catch {
    // Not written yet, or incomplete.
  }
}

look();
setInterval(look, 50).unref();
Date.now = () => trueNow() + aheadMs;
globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, made === globalThis.Date ? target : made),
  apply: () => new TrueDate(Date.now()).toString(),
});
TrueDate.prototype.constructor = globalThis.Date;
