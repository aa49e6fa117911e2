import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openDatabase } from "@shipping/kit/database";
import { silentLog } from "@shipping/kit/log";
import { floorApp } from "./app.js";

// The floor as a process of its own, on the database that its argument names. It prints its port, and ends when its standard input does.
const db = openDatabase(process.argv[2] ?? "", { log: silentLog() });
const server = createServer(floorApp(db));
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
await once(process.stdin.resume(), "end");
process.exit();
