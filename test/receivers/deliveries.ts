import { sign } from "@shipping/webhooks/dispatch/signature";
import { describeEnd, sendingUnderTest } from "@shipping/webhooks/testing/sending";

export const SECRET = "whsec_GFn7PJ+v7jFMVLLhDAIHnOJaFzFczq7pBL+Nh4Zq/2o=";

const EVENT_ID = "evt_kq3v7zj2m5xw4a6bnd2tc7yhre";
export const REFERENCE = "Jürgen Księgarnia 🚚 12345678901234567890";

/** A delivery as a receiver gets it. */
export interface Delivery {
  headers: Record<string, string>;
  body: Buffer;
}

/** The bytes of an event that no parser writes again as they are. */
export function eventOf(padding = ""): Buffer {
  const data = `{"id":"shp_1","object":"shipment","status":"draft","reference":"${REFERENCE}","weight_kg":1.0,"note":"1e21 \\/ \\u00e9","padding":"${padding}"}`;
  return Buffer.from(
    `{"id":"${EVENT_ID}","type":"shipment.created","livemode":false,"created_at":"2026-11-28T09:30:00.000Z","data":${data}}`,
  );
}

const LARGE = eventOf("é".repeat(32_500));

/** The dispatcher's own attempts, without a database, and what it sends. */
export function deliveriesUnderTest() {
  const { post, receiverWith, end } = sendingUnderTest();
  const attempt = (body: Buffer, secondsAgo: number, secret = SECRET) => ({
    ...{ secret, eventId: EVENT_ID, body },
    at: new Date(Date.now() - secondsAgo * 1000),
  });

  /** A fresh delivery, caught on its way. */
  async function caught(body = eventOf(), secondsAgo = 0, secret = SECRET): Promise<Delivery> {
    const receiver = await receiverWith();
    await post(receiver.url, undefined, attempt(body, secondsAgo, secret));
    const { headers, body: arrived } = receiver.received.at(-1)!;
    return {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: arrived,
    };
  }

  /** The outcomes of attempts that a receiver must accept, and of those that it must refuse. */
  async function sentTo(url: string): Promise<{ accepted: string[]; refused: string[] }> {
    const outcome = (...given: Parameters<typeof attempt>) => describeEnd(post(url, undefined, attempt(...given)));
    const genuine = await caught();
    // Alternating, because all use one connection: a body that was refused unread must not disturb what follows.
    const accepted = [await outcome(eventOf(), 0)];
    const refused = [await outcome(LARGE, 400), await outcome(eventOf(), -400)];
    accepted.push(await outcome(LARGE, 0), await outcome(eventOf(), 240));
    refused.push(await outcome(eventOf(), 0, SECRET.toLowerCase()));
    for (const { headers, body } of forgeriesOf(genuine)) refused.push(await forged(url, headers, body));
    return { accepted, refused };
  }

  return { caught, sentTo, end };
}

/** A delivery with other bytes or without its signature. */
export function forgeriesOf({ headers, body }: Delivery): Delivery[] {
  const changed = Buffer.from(body);
  changed[body.indexOf("ü") + 1]! ^= 1;
  const { "service-signature": _, ...unsigned } = headers;
  return [
    { headers, body: changed },
    { headers, body: Buffer.from(JSON.stringify(JSON.parse(body.toString()))) },
    { headers, body: Buffer.alloc(0) },
    { headers: unsigned, body },
  ];
}

async function forged(
  url: string,
  { "content-length": _, connection: _c, host: _h, ...headers }: Record<string, string>,
  body: Buffer,
): Promise<string> {
  const { status } = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  return `failed ${status}`;
}

/** The headers of a delivery of 300 KiB whose signature is right. */
export function tooLong(): Delivery {
  const body = Buffer.alloc(300 * 1024, " ");
  const signature = sign(SECRET, Math.floor(Date.now() / 1000), body);
  return { body, headers: { "content-type": "application/json; charset=utf-8", "service-signature": signature } };
}
