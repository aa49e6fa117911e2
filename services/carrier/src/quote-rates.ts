import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { Call } from "@shipping/kit/rpc/server";
import type { QuoteRatesRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Shipment } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { callCarrier, callMsWithin, refusedByCarrier } from "./bookings/call-carrier.js";
import { type Carrier, CarrierRefusal, carrierFor, type Rate, rateJson } from "./carriers/carrier.js";
import type { CarrierDeps } from "./deps.js";
import { readShipment } from "./neighbours/read-shipment.js";

/** Computes the rates of a shipment, whatever its state. They are stored only as the replayable answer. */
export async function quoteRates(deps: CarrierDeps, request: QuoteRatesRequest, call: Call): Promise<WriteOutcome> {
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const carrier = carrierFor(deps.carriers, caller);
  const shipment = await readShipment(deps, caller, request.shipmentId, call);
  const rates = await readRates(deps, carrier, shipment, call);
  const snapshot = { status: 200, body: Buffer.from(`[${rates.map(rateJson).join()}]`) };
  return insertQuote(deps, { caller, claim, snapshot });
}

// The ledger is written only after the carrier has answered, so if it throws, the request was certainly not executed.
async function readRates({ log }: CarrierDeps, carrier: Carrier, shipment: Shipment, call: Call): Promise<Rate[]> {
  try {
    if (carrier.isLocal) return await carrier.rates(shipment);
    return await callCarrier(callMsWithin(call, carrier.callMs), (limits) => carrier.rates(shipment, limits));
  } catch (err) {
    if (err instanceof CarrierRefusal) throw refusedByCarrier(err);
    log.warn({ err, carrier: carrier.name }, "rates not read");
    throw fail("service_unavailable");
  }
}

const insertQuote = microBatchOperation<CarrierDeps, Write, WriteOutcome>({
  keyOf: keyOfWrite,
  run: ({ ledger }, quotes) =>
    ledger.executeCreations(quotes, sql`WITH ${ledger.claim(quotes)} SELECT ordinal FROM claim`),
});
