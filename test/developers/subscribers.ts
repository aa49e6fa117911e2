import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import type { Area } from "./area.js";
import { decodeText, secretIn, type Visitor } from "./visitor.js";

export const LIST = "/developers/sandbox/webhooks";

/** Members with receivers, while the tests of this file run. */
export function useSubscribers(area: Area) {
  const receivers: Receiver[] = [];
  afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

  return {
    /** A receiver whose status is set later. */
    async obedient(first?: number) {
      const held: ((status: number) => void)[] = [];
      let told = first;
      const receiver = await startReceiver((response) => {
        const answer = (status: number) => response.writeHead(status).end();
        if (told === undefined) held.push(answer);
        else answer(told);
      });
      receivers.push(receiver);
      const tell = (status: number) => {
        told = status;
        for (const answer of held.splice(0)) answer(status);
      };
      return { receiver, tell };
    },

    /** A receiver with an untrusted certificate. */
    async selfSigned(): Promise<Receiver> {
      const receiver = await startReceiver(undefined, { tls: true });
      receivers.push(receiver);
      return receiver;
    },

    /** An admin with a subscription to that URL, created with the form. */
    async subscribed(url: string, events = ["shipment.created", "label.created"], environment = "sandbox") {
      const signedIn = await area.signIn();
      const list = `/developers/${environment}/webhooks`;
      const { html } = await signedIn.visitor.submit(`${list}/new`, { url, events });
      const id = /whk_[a-z2-7]{26}/.exec((await signedIn.visitor.get(list)).html)?.[0] ?? "";
      return { ...signedIn, id, path: `${list}/${id}`, secret: secretIn(html) ?? "" };
    },
  };
}

/** The text of a page. */
export const textOf = async (visitor: Visitor, path: string) => wordsIn((await visitor.get(path)).html);

/** The words of a page's content. */
export const wordsIn = (html: string) =>
  decodeText(
    html
      .replace(/^[\s\S]*<main[^>]*>/, "")
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " "),
  );

/** Sends a test of a subscription, and yields the page that shows it. */
export async function sendTest(visitor: Visitor, path: string): Promise<string> {
  const { status, location = "" } = await visitor.submit(`${path}/test`);
  expect([status, location]).toEqual([303, expect.stringMatching(/\/test\?shipment=shp_[a-z2-7]{26}$/)]);
  return location;
}
