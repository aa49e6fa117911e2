import { type Definite, untilDefinite, type Write } from "../chaos/retrying-client.js";
import { parcelBody } from "../kit/bodies.js";

/** A customer with a carrier that charges for labels. */
export interface Customer {
  gateways: readonly string[];
  key: string;
}

/** The outcome for one shipment, according to the responses to its customer. */
export interface Played {
  shipmentId: string;
  end: "labelled" | "voided" | "refused";
  /** The response to the label's request, byte by byte. */
  answers: string[];
  labelId?: string;
  trackingNumber?: string;
  /** Attempts without a definite response: 503, "in progress" or a lost connection. */
  errors: number;
  /** Responses that no customer should see. */
  wrong: string[];
}

/**
 * From a shipment to its label, and sometimes to its void, as a careful customer goes: with the same key until the response is definite, sometimes
 * by several processes at once, sometimes with a second key.
 */
export async function playChain(customer: Customer, name: string, random = Math.random): Promise<Played> {
  const played: Played = { shipmentId: "", end: "labelled", answers: [], errors: 0, wrong: [] };
  const isRefused = random() < 0.04;

  async function send(path: string, idempotencyKey: string, body: unknown): Promise<Definite> {
    const write: Write = { method: "POST", path, key: customer.key, idempotencyKey: `${name} ${idempotencyKey}`, body };
    const answer = await untilDefinite(customer.gateways, write).catch(
      ({ message }): Definite => ({
        status: 0,
        text: JSON.stringify(message),
        replayed: false,
        sent: 0,
        indefinite: [],
      }),
    );
    played.errors += answer.indefinite.length;
    return answer;
  }
  function check(answer: Definite, ...statuses: number[]): Definite {
    if (!statuses.includes(answer.status)) played.wrong.push(`${answer.status} ${answer.text}`);
    return answer;
  }
  const dataOf = ({ text }: Definite) => JSON.parse(text).data ?? {};

  const to = { ...parcelBody.to, ...(isRefused && { city: "Nowhere" }) };
  const shipment = check(await send("/shipments", "shipment", { ...parcelBody, reference: name, to }), 201);
  // A wrong response is recorded, and the chain ends.
  if (played.wrong.length > 0) return played;
  const shipmentId: string = dataOf(shipment).id;
  played.shipmentId = shipmentId;
  let rateId = `rate_express_${shipmentId}`;
  if (random() < 0.5) {
    const rates = check(await send("/rates", "rates", { shipment_id: shipmentId }), isRefused ? 422 : 200);
    if (played.wrong.length > 0) return played;
    if (!isRefused) rateId = dataOf(rates)[1].id;
  }

  const order = { shipment_id: shipmentId, rate_id: rateId, format: "pdf" };
  const same = Array.from({ length: random() < 0.2 ? 3 : 1 }, () => send("/labels", "label", order));
  const other = random() < 0.1 ? [send("/labels", "other", order)] : [];
  const answers = await Promise.all([...same, ...other]);
  if (isRefused) {
    for (const answer of answers) check(answer, 422);
    return { ...played, end: "refused" };
  }
  // One of two keys gets the label, and the other the error that there is one.
  for (const answer of answers) check(answer, 201, ...(other.length > 0 ? [409] : []));
  const made = answers.filter(({ status }) => status === 201);
  if (made.length === 0) played.wrong.push("No key has the label.");
  played.answers = made.map(({ text }) => dataText(text));
  if (made.length === 0) return played;
  const { id, tracking_number: trackingNumber } = dataOf(made[0]!);
  Object.assign(played, { labelId: id, trackingNumber });

  if (random() < 0.25) {
    const voids = Array.from({ length: random() < 0.3 ? 2 : 1 }, (_, nth) =>
      send(`/labels/${id}/void`, `void ${nth}`, {}),
    );
    for (const answer of await Promise.all(voids)) check(answer, 200);
    played.end = "voided";
  }
  return played;
}

// The response as the owner has rendered it, without the request's ID around it, which differs.
const dataText = (text: string) => JSON.stringify(JSON.parse(text).data);
