import { randomBytes } from "node:crypto";
import { silentLog } from "@shipping/kit/process/log";
import express from "express";
import { createMessagePrototypes, listen } from "./listen.js";

test("requests and responses are created with the prototypes that Express would give them", async () => {
  const app = express();
  app.get("/host", (req, res) => void res.json({ host: req.get("host") }));
  const matches: boolean[] = [];
  const prototypes = createMessagePrototypes(app);
  const server = await listen({
    handler(req, res) {
      matches.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
      app(req, res);
    },
    prototypes,
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
    random: randomBytes,
  });
  const answer = await fetch(`http://127.0.0.1:${server.port}/host`, { headers: { connection: "close" } });
  expect(await answer.json()).toEqual({ host: `127.0.0.1:${server.port}` });
  expect(matches).toEqual([true, true]);
  await server.stop(true);
});
