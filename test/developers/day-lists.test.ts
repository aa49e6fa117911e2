import { type PDFArray, PDFDocument, type PDFPage, PDFStream } from "@cantoo/pdf-lib";
import { eventually } from "@shipping/kit/testing/eventually";
import { manyShipments } from "@shipping/records/testing/stored-records";
import { strFromU8, unzipSync } from "fflate";
import { createLabel, createOrder, createShipment, RECORD, voidLabel } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { decodeText, type Visitor } from "./visitor.js";

const area = useArea();
const SANDBOX = "/developers/sandbox";

const schneider = {
  to: {
    ...RECORD.to,
    name: "Anna Schneider",
    city: "Oranienburg",
    email: "anna@example.com",
    phone: "+49 (151) 987-654321",
  },
  from: { ...RECORD.from, company: "Lagerhaus Nord" },
  metadata: { shop: { colours: ["red", "blue-whale"] } },
};

/** The bytes of a file that a page offers. */
async function download(visitor: Visitor, path: string) {
  const response = await fetch(area.origin() + SANDBOX + path, { headers: { cookie: visitor.cookies() } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The content of a page's streams: the form, and the text that differs between labels. */
const contentOf = ({ node }: PDFPage) =>
  (node.Contents() as PDFArray)
    .asArray()
    .map((reference) => node.context.lookup(reference, PDFStream).getContentsString())
    .join();

test("words from a telephone call find the shipment, as a row of its list with what was found marked", async () => {
  const { visitor, api } = await newCustomer(area);
  const { id } = await createShipment(api, { ...schneider, reference: "PO-10403" });
  await createShipment(api, { reference: "other" });
  for (const [text, marked] of [
    ["schneider", "<mark>Schneider</mark>"],
    ["4321", "<mark>4321</mark>"],
    ["10403", "<mark>10403</mark>"],
    ["oranien", "<mark>Oranien</mark>"],
    ["lager", "From: <bdi><mark>Lager</mark>haus Nord</bdi>"],
    ["whale", "colours: <bdi>blue-<mark>whale</mark></bdi>"],
  ]) {
    await eventually(async () => {
      const { status, html } = await visitor.get(`${SANDBOX}/search?q=${text}`);
      expect([status, html]).toEqual([200, expect.stringContaining(`/shipments/${id}`)]);
      for (const said of ["PO-", "Anna ", "burg, ", "Draft", marked]) expect(html).toContain(said);
      expect(html).not.toContain("other");
      expect(html.match(/data-result/g)).toHaveLength(1);
    });
  }
});

describe("GET /developers/{environment}/labels/merged", () => {
  test("is one PDF with the pages of the labels, in the order of their names", async () => {
    const { visitor, api } = await newCustomer(area);
    const labels = [];
    for (const reference of ["a", "b", "c"]) labels.push(await createLabel(api, { reference }));
    const [first, second, third] = labels.map(({ id }) => id);
    const { status, headers, bytes } = await download(
      visitor,
      `/labels/merged?label=${third}&label=${first}&label=${second}`,
    );
    expect([status, headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(headers.get("content-disposition")).toBe('attachment; filename="labels-3.pdf"');
    // Many programs read only PDFs of this kind, which each label is.
    expect(bytes.toString("latin1")).toMatch(/^%PDF-1\.3\n.*\nxref\n.*\ntrailer\n/s);
    expect(bytes.includes("/ObjStm")).toBe(false);
    const merged = await PDFDocument.load(bytes);
    const apart = await Promise.all(
      [third, first, second].map(async (id) => PDFDocument.load((await api.get(`/labels/${id}/file`)).bytes)),
    );
    expect(merged.getPages().map(contentOf)).toEqual(apart.map((label) => contentOf(label.getPage(0))));
    expect(new Set(apart.map((label) => contentOf(label.getPage(0)))).size).toBe(3);
  });

  test("says why there is none: none selected, too many, one that is voided, or another account's", async () => {
    const { visitor, api } = await newCustomer(area);
    const label = await createLabel(api);
    await voidLabel(api, label.id);
    const { api: other } = await newCustomer(area);
    const strange = await createLabel(other);
    const many = Array.from(
      { length: 101 },
      (_, n) =>
        `label=lbl_${String(n)
          .replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)
          .padStart(26, "a")}`,
    );
    for (const [query, status, words] of [
      ["", 200, "Select the labels"],
      [many.join("&"), 422, "up to 100 labels"],
      [`label=${label.id}`, 422, "is voided"],
      [`label=${strange.id}`, 404, ""],
      ["label=../keys", 404, ""],
    ] as const) {
      const answer = await visitor.get(`${SANDBOX}/labels/merged?${query}`);
      expect([answer.status, answer.html]).toEqual([status, expect.stringContaining(words)]);
    }
  });
});

/** The numbers of rows that frames say, and the bytes of all of them. */
function framesOf(framed: Buffer): { rows: number[]; bytes: Buffer } {
  const rows: number[] = [];
  const parts: Buffer[] = [];
  for (let at = 0; at < framed.length; ) {
    const end = at + 8 + framed.readUInt32BE(at + 4);
    rows.push(framed.readUInt32BE(at));
    parts.push(framed.subarray(at + 8, end));
    at = end;
  }
  return { rows, bytes: Buffer.concat(parts) };
}

describe("GET /developers/{environment}/shipments/csv and …/xlsx", () => {
  test("has the list's rows under the same filter, and no text that a spreadsheet would take for a formula", async () => {
    const { visitor, api, live } = await newCustomer(area);
    await createShipment(live);
    const draft = await createShipment(api, { ...schneider, reference: '=SUM(A1)", "b' });
    const label = await createLabel(api, { reference: "@tab" });
    const { status, headers, bytes } = await download(visitor, "/shipments/csv");
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(headers.get("content-disposition")).toMatch(
      /^attachment; filename="sandbox-shipments-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [head, ...rows] = bytes.toString().trimEnd().split("\r\n");
    expect(head).toMatch(/^\ufeffid,reference,status,recipient,/);
    expect(rows).toEqual([
      expect.stringMatching(`^${label.shipment_id},'@tab,label_created,.*,${label.id},${label.tracking_number},2`),
      `${draft.id},"'=SUM(A1)"", ""b",draft,Anna Schneider,,Oranienburg,31-147,PL,anna@example.com,+49 (151) 987-654321,,,${draft.created_at}`,
    ]);
    const drafts = await download(visitor, "/shipments/csv?status=draft");
    expect(drafts.bytes.toString().trimEnd().split("\r\n")).toHaveLength(2);
  });

  test("has more rows than a page, and orders and labels have theirs", async () => {
    const { visitor, accountId, api } = await newCustomer(area);
    const label = await createLabel(api);
    const loaded = { count: 1_200, reference: "PO-1", address: RECORD.to };
    await area.stack().databases.records.run(manyShipments({ accountId, environment: "sandbox" }, loaded));
    const order = await createOrder(api);
    const { bytes } = await download(visitor, "/shipments/csv");
    const lines = bytes.toString().trimEnd().split("\r\n");
    expect(lines).toHaveLength(1_202);
    const { headers, bytes: sheet } = await download(visitor, "/shipments/xlsx");
    expect(headers.get("content-disposition")).toMatch(/"sandbox-shipments-[-\d]{10}\.xlsx"$/);
    const rows = strFromU8(unzipSync(sheet)["xl/worksheets/sheet1.xml"]!).match(/<row>.*?<\/row>/gs) ?? [];
    expect(rows).toHaveLength(lines.length);
    expect(framesOf((await download(visitor, "/shipments/csv?framed=1")).bytes)).toEqual({
      rows: [500, 1_000, 1_201],
      bytes,
    });
    expect((await download(visitor, "/orders/csv")).bytes.toString()).toContain(`\r\n${order.id},`);
    expect((await download(visitor, "/labels/csv")).bytes.toString()).toContain(`\r\n${label.id},`);
  });
});

test("a filter is a chip in the page, which leads to the list without it, and 25, 50 or 100 rows are a link", async () => {
  const { visitor, api } = await newCustomer(area);
  await createShipment(api);
  const { html } = await visitor.get(`${SANDBOX}/shipments?status=draft&from=2026-01-01&size=25`);
  const links = decodeText(html);
  expect(links).toContain(`href="${SANDBOX}/shipments?from=2026-01-01&zone=UTC&size=25"`);
  expect(links).toContain(`href="${SANDBOX}/shipments?status=draft&size=25"`);
  expect(links).toContain(`href="${SANDBOX}/shipments?status=draft&from=2026-01-01&zone=UTC&size=100"`);
  expect(links).toContain(`href="${SANDBOX}/shipments/csv?status=draft&from=2026-01-01&zone=UTC"`);
});
