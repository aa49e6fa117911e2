import { eventually } from "@shipping/kit/testing/eventually";
import type { Part } from "@shipping/local/parts";
import { createLabel } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { wordsIn } from "./subscribers.js";

const area = useArea({ logs: true });

/** Runs a function while these parts have no database connection. */
async function without<T>(parts: readonly Part[], act: () => Promise<T>): Promise<T> {
  const pools = parts.map((part) => area.stack().databases[part]).flatMap(({ pool, listPool }) => [pool, listPool]);
  const all = pools.flatMap((each) => Array.from({ length: each.options.max }, () => each.connect()));
  const held = await Promise.all(all);
  return act().finally(() => {
    for (const client of held) client.release();
  });
}

test("503 with Retry-After: 5 while no connection is left, then as ever", async () => {
  const { visitor } = await area.signIn();
  const during = await without(["portal"], () => visitor.get("/developers/sandbox"));
  expect([during.status, during.headers["retry-after"], during.headers.refresh]).toEqual([503, "5", "10"]);
  await eventually(() =>
    expect(area.stack().logged()).toMatch(/"part":"portal".*"status":503.*"cause":"own_database"/),
  );
  expect(await visitor.get("/developers/sandbox")).toMatchObject({ status: 200 });
});

test("the data of a part is missing while that is down: the rest of the page stays, and the page tries again", async () => {
  const { visitor, api } = await newCustomer(area);
  const { shipment_id: id } = await createLabel(api);
  const path = `/developers/sandbox/shipments/${id}`;
  const [{ visitor: second }, { visitor: third }] = await Promise.all([area.signIn(), area.signIn()]);
  const opened = () =>
    Promise.all([visitor.get(path), second.get("/developers/sandbox"), third.get("/developers/sandbox/labels?q=PO-1")]);
  const [during, overview, labels] = await without(["carrier", "webhooks"], opened);
  expect([during.status, during.headers.refresh]).toEqual([200, "10"]);
  for (const said of [
    ...["PO-1", "Zofia Wójcik", "Shipment created", "The label cannot be shown."],
    ...["The delivery status cannot be shown.", "This page tries again every 10 seconds."],
  ]) {
    expect(wordsIn(during.html)).toContain(said);
  }
  expect(wordsIn(overview.html)).toMatch(
    /The state of the subscriptions cannot be shown\..*The number of shipments cannot be shown\./,
  );
  expect(wordsIn(labels.html)).toContain("The labels cannot be shown.");
  expect(labels.html).toContain('value="PO-1"');
  for (const { status, headers } of [overview, labels]) expect([status, headers.refresh]).toEqual([200, "10"]);
  expect(during.html).toContain(`<a href="${path}?refresh=off">stop trying</a>`);
  const after = await visitor.get(path);
  expect([after.status, after.headers.refresh]).toEqual([200, undefined]);
});

test("a search shows what it found elsewhere while a part is down, and says which kinds are missing", async () => {
  const { visitor, keyId, api } = await newCustomer(area);
  const { id } = await createLabel(api);
  const search = (text: string) => visitor.get(`/developers/sandbox/search?q=${encodeURIComponent(text)}`);
  const [, lastFour = ""] =
    /Revoke the key that ends in (\w{4})/.exec((await visitor.get("/developers/sandbox/keys")).html) ?? [];
  const byWords = await without(["records"], () => search(lastFour));
  expect([byWords.status, byWords.headers.refresh]).toEqual([200, "10"]);
  expect(wordsIn(byWords.html)).toContain("Shipments, Orders cannot be searched.");
  expect(byWords.html).toContain(`requests?key=${keyId}`);
  const byId = await without(["carrier"], () => search(id));
  expect(wordsIn(byId.html)).toContain("Labels cannot be searched.");
  expect(wordsIn(byId.html)).not.toContain("No results");
  expect(await search(id)).toMatchObject({ status: 303 });
});
