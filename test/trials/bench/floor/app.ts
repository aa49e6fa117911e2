import type { Database } from "@shipping/kit/postgres/database";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { createLabel, quoteRates } from "./create-label.js";
import { deliver } from "./deliver.js";
import { isLimited, listShipments, readAnswer, readLabelFile, readShipment, shown } from "./read.js";
import { createRecord, type FloorWrite } from "./write.js";

/**
 * The minimal Express process that gives the same responses: parse, one prepared statement, render. It checks no key, and no field except those
 * that a case is about; the account stands in the place of the key.
 */
export function floorApp(db: Database): Express {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(express.json({ limit: "64kb" }));

  app.post("/orders", async (request, response) => {
    send(response, 201, await createRecord(db, "order", writeOf(request)));
  });
  app.post("/shipments", async (request, response) => {
    const write = writeOf(request);
    if (isGood(write.body)) return send(response, 201, await createRecord(db, "shipment", write));
    await isLimited(db, write.accountId);
    refuse(response, 422, "invalid_request", "parcel.weight_kg is not greater than 0.");
  });
  app.post("/rates", async (request, response) => {
    send(response, 200, await quoteRates(db, writeOf(request)));
  });
  app.post("/labels", async (request, response) => {
    send(response, 201, await createLabel(db, writeOf(request)));
  });
  app.post("/replays", async (request, response) => {
    const { accountId, idempotencyKey } = writeOf(request);
    const { status, body } = await readAnswer(db, accountId, idempotencyKey);
    send(response, status, body.toString());
  });

  app.post("/deliveries", async (request, response) => {
    send(response, 200, JSON.stringify(await deliver(db, request.body)));
  });

  app.get("/account", async (request, response) => {
    const accountId = accountOf(request);
    if (await isLimited(db, accountId)) return refuse(response, 429, "rate_limited", "Too many requests.");
    send(response, 200, JSON.stringify({ id: accountId, object: "account" }));
  });
  app.get("/shipments/:id", async (request, response) => {
    send(response, 200, JSON.stringify(shown(await readShipment(db, accountOf(request), request.params.id))));
  });
  app.get("/shipments", async (request, response) => {
    const { limit, after } = request.query;
    const rows = await listShipments(db, accountOf(request), String(after ?? ""), Number(limit ?? 25));
    const page = rows.slice(0, Number(limit ?? 25));
    const next = rows.length > page.length ? page.at(-1)?.id : null;
    response.type("json").send(JSON.stringify({ data: page.map(shown), next_cursor: next }));
  });
  app.get("/labels/:id/file", async (request, response) => {
    response.type("pdf").send(await readLabelFile(db, accountOf(request), request.params.id));
  });
  // Express recognises an error handler by its four parameters.
  app.use((_error: Error, _request: Request, response: Response, _next: NextFunction) => {
    refuse(response, 503, "service_unavailable", "Too busy.");
  });
  return app;
}

function accountOf(request: Request): string {
  return request.get("authorization")?.slice("Bearer ".length) ?? "";
}

function writeOf(request: Request): FloorWrite {
  return { accountId: accountOf(request), idempotencyKey: request.get("idempotency-key") ?? "", body: request.body };
}

function isGood(body: Record<string, unknown>): boolean {
  return Number((body.parcel as { weight_kg?: unknown } | undefined)?.weight_kg) > 0;
}

function send(response: Response, status: number, data: string): void {
  response.status(status).type("json").send(`{"data":${data}}`);
}

function refuse(response: Response, status: number, code: string, message: string): void {
  response
    .status(status)
    .type("json")
    .send(JSON.stringify({ error: { code, message } }));
}
