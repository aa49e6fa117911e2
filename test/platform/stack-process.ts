import { PER_MINUTE_SHARED, type SharedStack, startStack } from "./stack.js";

// The platform that the test files of one worker share. It prints its URLs as a line of JSON, and ends when its standard input does.
const { baseUrls, rpcPorts, rpcToken, databaseUrls, stop } = await startStack({ requestsPerMinute: PER_MINUTE_SHARED });
const shared: SharedStack = { baseUrls, rpcPorts, rpcToken, databaseUrls };
process.on("SIGINT", () => {});
process.stdout.on("error", () => {});
console.log(JSON.stringify(shared));
for await (const _ of process.stdin);
await stop();
