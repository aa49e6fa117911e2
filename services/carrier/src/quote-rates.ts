import { callerOf, claimOf } from "@shipping/kit/caller";
import { keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { Call } from "@shipping/kit/rpc/server";
import type { QuoteRatesRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import sql from "sql-template-tag";
import { carrierFor } from "./carriers/carrier.js";
import { rateJson } from "./carriers/rate.js";
import type { CarrierDeps } from "./deps.js";
import { readShipment } from "./read-shipment.js";

/** Computes the rates of a shipment, whatever its state. They are stored as the replayable answer and nowhere else. */
export async function quoteRates(deps: CarrierDeps, request: QuoteRatesRequest, call: Call): Promise<WriteOutcome> {
  const caller = callerOf(request);
  const claim = claimOf(request);
  const carrier = carrierFor(deps.carriers, caller);
  const shipment = await readShipment(deps, caller, request.shipmentId, call);
  const rates = await carrier.rates(shipment);
  const body = Buffer.from(`[${rates.map(rateJson).join()}]`);
  const snapshot = { status: 200, body };
  return insertQuote(deps, { caller, claim, snapshot });
}

const insertQuote = microBatchOperation<CarrierDeps, Write, WriteOutcome>({
  keyOf: keyOfWrite,
  run: ({ ledger }, quotes) =>
    ledger.executeCreations(quotes, sql`WITH ${ledger.claim(quotes)} SELECT ordinal FROM claim`),
});
