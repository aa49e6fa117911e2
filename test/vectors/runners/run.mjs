import { createInterface } from "node:readline";
import { verify } from "./verify.mjs";

for await (const line of createInterface(process.stdin)) {
  const [secret, header, body, now] = line.split("\t");
  const text = Buffer.from(header, "base64").toString();
  console.log(verify(secret, text, Buffer.from(body, "base64"), Number(now)));
}
