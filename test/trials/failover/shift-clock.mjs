// Loaded into every process of a cluster by NODE_OPTIONS: its wall clock goes wrong by as many milliseconds as CLOCKS_FILE says under its
// port, from one moment to the next. Timers and `performance.now()` stay as they are: they do not follow the wall clock.
import { readFileSync } from "node:fs";

const TrueDate = Date;
const trueNow = Date.now;
let aheadMs = 0;

function look() {
  try {
    aheadMs = JSON.parse(readFileSync(process.env.CLOCKS_FILE, "utf8"))[process.env.PORT] ?? 0;
  } catch {
    // Not written yet, or half of it.
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
