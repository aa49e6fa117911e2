import { createHmac } from "node:crypto";
import { buffer } from "node:stream/consumers";

// A replacement for `openssl dgst -sha256 -hmac KEY`, the only form of openssl in the guides, on machines without it.
const [, , ...options] = process.argv;
const [key = ""] = options.splice(3, 1);
if (options.join(" ") !== "dgst -sha256 -hmac") throw new Error(`The stand-in for openssl does not know ${options}.`);
const digest = createHmac("sha256", key).update(await buffer(process.stdin));
process.stdout.write(`SHA2-256(stdin)= ${digest.digest("hex")}\n`);
