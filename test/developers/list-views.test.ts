import { eventually } from "@shipping/kit/testing/eventually";
import { createLabel, createOrder, createShipment, RECORD } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { useSubscribers, wordsIn } from "./subscribers.js";
import { decodeText, type Visitor } from "./visitor.js";

const area = useArea();
const subscribers = useSubscribers(area);
const SANDBOX = "/developers/sandbox";
const VIEWS = `${SANDBOX}/views`;

const idsIn = (html: string) =>
  [...html.matchAll(/(?:shipments|orders|labels)\/(\w{3}_\w+)" class="row"/g)].map(([, id]) => id);
const linkTo = (html: string, rel: string) =>
  decodeText(new RegExp(`<a href="([^"]+)" rel="${rel}"`).exec(html)?.[1] ?? "");
/** A page with all of its parts. On a busy machine, one may not be read in time. */
const open = (visitor: Visitor, path: string) =>
  eventually(async () => {
    const page = await visitor.get(path);
    expect(page.html).not.toContain("cannot be shown");
    return page;
  });
/** The query of the form that saves filters of a list. */
const toSave = (list: string, query: string) => `${VIEWS}?${new URLSearchParams({ list, query })}`;

describe("a list", () => {
  test("is read page by page there and back, newest or oldest first, with its filters and its size", async () => {
    const { visitor, api } = await newCustomer(area);
    const made: string[] = [];
    for (let n = 0; n < 26; n++) made.push((await createShipment(api, { reference: `PO-${n}` })).id);
    const newest = [...made].reverse();
    for (const [query, order, opposite] of [
      ["status=draft&size=25", newest, "status=draft&order=oldest&size=25"],
      ["status=draft&order=oldest&size=25", made, "status=draft&size=25"],
    ] as const) {
      const first = await open(visitor, `${SANDBOX}/shipments?${query}`);
      expect(idsIn(first.html)).toEqual(order.slice(0, 25));
      expect(first.html).toContain(`aria-sort="${order === made ? "ascending" : "descending"}"`);
      expect(decodeText(first.html)).toContain(`class="order" href="${SANDBOX}/shipments?${opposite}"`);
      const second = await open(visitor, linkTo(first.html, "next"));
      expect(idsIn(second.html)).toEqual(order.slice(25));
      expect(linkTo(second.html, "prev")).toBe(`${SANDBOX}/shipments?${query}`);
      expect(linkTo(second.html, "next")).toBe("");
    }
    expect((await open(visitor, `${SANDBOX}/shipments?q=po&order=oldest`)).html).not.toContain("aria-sort");
    const { html } = await open(visitor, `${SANDBOX}/orders`);
    expect([html.includes('data-column="status"'), html.includes("Received")]).toEqual([false, false]);
  });

  test("has the shipments to one country, with their number, also by words, and a chip that leads back to all", async () => {
    const { visitor, api } = await newCustomer(area);
    const ship = async (country: string) => (await createShipment(api, { to: { ...RECORD.to, country } })).id;
    const [french] = [await ship("FR"), await ship("PL")];
    for (const query of ["country=FR", "country=FR&q=%20po", "country=FR&status=draft"]) {
      const { html } = await open(visitor, `${SANDBOX}/shipments?${query}`);
      expect([query, idsIn(html)]).toEqual([query, [french]]);
      expect(wordsIn(html)).toMatch(/Sandbox shipments 1 .*To France/);
    }
    const { html } = await open(visitor, `${SANDBOX}/shipments?country=FR&status=draft`);
    expect(decodeText(html)).toContain(`href="${SANDBOX}/shipments?status=draft" title="Remove this filter"`);
    expect(html).toContain('<option value="FR" selected>France</option>');
    for (const country of ["fr", "F1", "'"])
      expect(idsIn((await open(visitor, `${SANDBOX}/shipments?country=${country}`)).html)).toHaveLength(2);
    const csv = await open(visitor, `${SANDBOX}/shipments/csv?country=FR`);
    expect(csv.html.trimEnd().split("\r\n")).toHaveLength(2);
  });

  test("has what an endpoint fails to receive: the shipment, its label and its order", async () => {
    const { receiver } = await subscribers.obedient(500);
    const { visitor, api } = await newCustomer(area);
    const none = await open(visitor, `${SANDBOX}/shipments?failing=1`);
    expect(wordsIn(none.html)).toContain("No matching shipments.");
    await createShipment(api);
    const events = ["order.created", "label.created"];
    await visitor.submit(`${SANDBOX}/webhooks/new`, { url: receiver.url, events });
    const order = await createOrder(api);
    const label = await createLabel(api);
    for (const [list, id] of [
      ["shipments", label.shipment_id],
      ["labels", label.id],
      ["orders", order.id],
    ] as const) {
      await eventually(async () => {
        const { html } = await open(visitor, `${SANDBOX}/${list}?failing=1`);
        expect([list, idsIn(html)]).toEqual([list, [id]]);
        expect(decodeText(html)).toContain(`href="${SANDBOX}/${list}" title="Remove this filter"`);
      });
    }
  });

  test("says how many rows are newer than those that a page shows, as the script asks", async () => {
    const { visitor, api } = await newCustomer(area);
    const newsOf = async (list: string) => {
      const { html } = await open(visitor, `${SANDBOX}/${list}`);
      const path = decodeText(/data-news="([^"]+)"/.exec(html)?.[1] ?? "");
      return async () => JSON.parse((await open(visitor, path)).html);
    };
    await createOrder(api);
    const asked = await Promise.all(["orders", "shipments?status=draft", "shipments?country=FR", "labels"].map(newsOf));
    const requests = await newsOf("requests?method=POST");
    const webhooks = await newsOf("webhooks");
    const counts = () => Promise.all(asked.map(async (ask) => (await ask()).count));
    expect(await counts()).toEqual([0, 0, 0, 0]);
    await createOrder(api);
    for (let n = 0; n < 2; n++) await createShipment(api);
    expect(await counts()).toEqual([1, 2, 0, 0]);
    await eventually(async () => expect((await requests()).count).toBeGreaterThanOrEqual(3));
    expect(await webhooks()).toEqual({ changed: false });
    await visitor.submit(`${SANDBOX}/webhooks/new`, { url: "https://shop.example.com", events: ["order.created"] });
    expect(await webhooks()).toEqual({ changed: true });
    const older = await open(visitor, `${SANDBOX}/shipments?order=oldest`);
    expect(older.html).not.toContain("data-news");
    for (const since of ["", "nothing"])
      expect(JSON.parse((await open(visitor, `${SANDBOX}/shipments/news?since=${since}`)).html)).toEqual({ count: 0 });
  });
});

describe("saved views", () => {
  const menuOf = async (visitor: Visitor, list: string) => {
    const { html } = await open(visitor, `${SANDBOX}/${list}`);
    return decodeText(/<details class="fold views">.*?<\/details>/s.exec(html)?.[0] ?? "");
  };
  const save = (visitor: Visitor, name: string, query = "status=draft", list = "shipments") =>
    visitor.submit(toSave(list, query), { name });

  test("name the filters of a list for one member, a viewer too, and are renamed and deleted, all without a script", async () => {
    const { visitor, accountId } = await area.signIn({ role: "viewer" });
    const query = "country=FR&q=a%26b&status=draft";
    const { html } = await open(visitor, `${SANDBOX}/shipments?${query}&from=&zone=Europe%2FBerlin&after=`);
    const [, offered = ""] = /href="([^"]+)">Save these filters/.exec(html) ?? [];
    expect(decodeText(offered)).toBe(toSave("shipments", query));
    const saved = await visitor.submit(decodeText(offered), { name: "  To <France>  " });
    expect(saved).toMatchObject({ status: 303, location: `${SANDBOX}/shipments?${query}` });
    expect((await open(visitor, saved.location!)).html).toContain("View saved.");
    const link = `href="${SANDBOX}/shipments?${query}"`;
    expect(await menuOf(visitor, "shipments")).toContain(`<a ${link}><bdi>To <France></bdi></a>`);
    expect(await menuOf(visitor, `shipments?${query}`)).toContain(`<a ${link} aria-current="page">`);
    expect(await menuOf(visitor, `shipments?${query}`)).not.toContain("Save these filters");
    expect(await menuOf(visitor, "orders")).not.toContain("France");
    const colleague = await area.signIn({ accountId });
    expect(await menuOf(colleague.visitor, "shipments")).not.toContain("France");

    const replaced = await save(visitor, "To <France>", "country=FR");
    expect(replaced.location).toBe(`${SANDBOX}/shipments?country=FR`);
    await save(visitor, "Other");
    const [, view = ""] = /name="view" value="(view_\w+)"/.exec((await open(visitor, VIEWS)).html) ?? [];
    const change = (by: { visitor: Visitor; accountId: string }, fields: Record<string, string>) =>
      by.visitor.post(`${VIEWS}?account_id=${by.accountId}`, { view, ...fields });
    const own = { visitor, accountId };
    // The first by name is Other.
    expect(await change(own, { act: "rename", name: "To <France>" })).toMatchObject({
      status: 422,
      html: expect.stringContaining("You have another view of this list with this name."),
    });
    for (const fields of [{ act: "rename", name: "Stolen" }, { act: "delete" }] as const)
      expect((await change(colleague, fields)).status).toBe(303);
    expect((await change(own, { act: "rename", name: "Drafts" })).location).toBe(VIEWS);
    expect(wordsIn((await open(visitor, VIEWS)).html)).toMatch(
      /View renamed\..*Drafts Shipments.*To <France> Shipments/,
    );
    expect((await change(own, { act: "delete" })).location).toBe(VIEWS);
    expect(await menuOf(visitor, "shipments")).not.toContain("Drafts");
  });

  test("are bounded in number and size, refused with what to send, and lead nowhere else", async () => {
    const { visitor, accountId } = await area.signIn();
    for (const name of ["", " ", "a\u0007b", "x".repeat(61)]) {
      const { status, html } = await visitor.submit(toSave("shipments", "status=draft"), { name });
      expect([name, status]).toEqual([name, 422]);
      expect(html).toMatch(/must have (?:1 to 60 characters|at most 60 characters)/);
    }
    const post = (fields: Record<string, string>) => visitor.post(`${VIEWS}?account_id=${accountId}`, fields);
    for (const fields of [
      { act: "save", list: "keys", query: "a=b", name: "a" },
      { act: "save", list: "shipments", query: "x".repeat(3_001), name: "a" },
      { act: "share", view: "view_a" },
      {},
    ] as Record<string, string>[])
      expect([fields, (await post(fields)).status]).toEqual([fields, 422]);
    const odd = await save(visitor, "odd", "q=//evil.example.com&x=%0d%0aset-cookie:a&after=shp_a");
    expect(odd.location).toBe(`${SANDBOX}/shipments?q=%2F%2Fevil.example.com&x=%0D%0Aset-cookie%3Aa`);
    for (let n = 1; n < 50; n++) expect((await save(visitor, `view ${n}`, "status=voided", "labels")).status).toBe(303);
    const refused = await save(visitor, "one more");
    expect([refused.status, wordsIn(refused.html)]).toEqual([422, expect.stringContaining("Delete one first.")]);
    expect((await save(visitor, "view 7", "status=created", "labels")).status).toBe(303);
  });
});
