import { randomBytes } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import express from "express";
import { silentLog } from "../../process/log.js";
import { listen } from "./listen.js";
import { createMessagePrototypes } from "./message-prototypes.js";

test("requests and responses are created with the prototypes that Express would give them, and say what was written", async () => {
  const app = express();
  app.get("/host", (req, res) => void res.json({ host: req.get("host") }));
  app.get("/parts", (_req, res) => {
    res.write("a");
    pipeline(Readable.from(["b", "c"]), res, () => {});
  });
  app.get("/none", (_req, res) => void res.redirect("/host"));
  const matches: boolean[] = [];
  const written: string[] = [];
  const prototypes = createMessagePrototypes(app, ({ req, writableEnded }) =>
    written.push(`${req.url}${writableEnded ? " ended" : ""}`),
  );
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
  for (const path of ["parts", "none"]) {
    const headers = { connection: "close" };
    await fetch(`http://127.0.0.1:${server.port}/${path}`, { headers, redirect: "manual" });
  }
  expect(matches).toEqual(Array(6).fill(true));
  expect(written).toEqual(["/host ended", ...["/parts", "/parts", "/parts", "/parts ended"], "/none ended"]);
  await server.stop(true);
});
