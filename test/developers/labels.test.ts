import { spoilLabelFile, voidEvents, voidedBy } from "@shipping/carrier/testing/stored-labels";
import { withoutChanges } from "@shipping/gateway/testing/stored-accounts";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { createLabel, voidLabel } from "../api/platform.js";
import type { Label } from "../platform/api-client.js";
import { type SignedInVisitor, useArea } from "./area.js";
import { type Customer, newCustomer } from "./customer.js";
import { fieldsOf, type Visitor } from "./visitor.js";

const area = useArea();

const PNG = "\x89PNG";

const carrier = () => area.stack().databases.carrier;

/** Status, headers, and the bytes as Latin-1. */
async function fileAt(visitor: Visitor, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(area.origin() + path, { headers: { cookie: visitor.cookies(), ...headers } });
  const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status: response.status, headers: Object.fromEntries(response.headers), text };
}

/** The pages of a label. */
const pathOf = ({ id }: { id: string }, page = "") => `/developers/sandbox/labels/${id}${page}`;

async function labelled(): Promise<Customer & { label: Label }> {
  const customer = await newCustomer(area);
  return { ...customer, label: await createLabel(customer.api) };
}

test("GET /developers/{environment}/labels/{id}/file: is the file of the API, to save under the label's id, and kept nowhere", async () => {
  const { visitor, api, label } = await labelled();
  const { status, headers, text } = await fileAt(visitor, pathOf(label, "/file"));
  expect(status).toBe(200);
  expect(text).toBe((await api.get(`/labels/${label.id}/file`)).bytes.toString("latin1"));
  expect(headers).toMatchObject({
    "content-type": "application/pdf",
    "content-disposition": `attachment; filename="label-${label.id}.pdf"`,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
  });
});

describe("GET /developers/{environment}/labels/{id}/picture", () => {
  test("is the PDF's page as a PNG, which the reader's browser keeps and asks about", async () => {
    const { visitor, label } = await labelled();
    const { status, headers, text } = await fileAt(visitor, pathOf(label, "/picture"));
    expect([status, text.slice(0, 4)]).toEqual([200, PNG]);
    expect([Buffer.from(text, "latin1").readUInt32BE(16), text.length > 2_000]).toEqual([576, true]);
    const { etag = "" } = headers;
    expect(headers).toMatchObject({
      "content-type": "image/png",
      "cache-control": "private, no-cache",
      "x-content-type-options": "nosniff",
    });
    const again = await fileAt(visitor, pathOf(label, "/picture"), { "if-none-match": etag });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", etag]);
  });

  test("a broken file gives a picture that says so and is not cached", async () => {
    const { visitor, label } = await labelled();
    await spoilLabelFile(carrier(), label.id);
    const { status, headers, text } = await fileAt(visitor, pathOf(label, "/picture"));
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "image/svg+xml", "no-store"]);
    expect(text).toContain("This label cannot be displayed.");
    expect((await visitor.get(pathOf(label))).status).toBe(200);
  });

  test("many at once: all are drawn, one after the other in the turn of their account", async () => {
    const { visitor, label } = await labelled();
    const pictures = await Promise.all(Array.from({ length: 30 }, () => fileAt(visitor, pathOf(label, "/picture"))));
    const kinds = pictures.map(({ status, headers }) => `${status} ${headers["content-type"]}`);
    expect(new Set(kinds)).toEqual(new Set(["200 image/png"]));
    expect((await fileAt(visitor, pathOf(label, "/picture"))).text.slice(0, 4)).toBe(PNG);
  });
});

test("neither file nor picture is there once the label is void, cached or not", async () => {
  const { visitor, api, label } = await labelled();
  const { etag = "" } = (await fileAt(visitor, pathOf(label, "/picture"))).headers;
  await voidLabel(api, label.id);
  for (const page of ["/file", "/picture"]) {
    const { status, text } = await fileAt(visitor, pathOf(label, page), { "if-none-match": etag });
    expect([status, text.includes("The label is voided, so its file can no longer be downloaded.")]).toEqual([
      409,
      true,
    ]);
  }
});

/** The audit entries about voided labels of an account, after a member has opened the audit log. */
async function auditOf({ visitor, accountId }: Pick<SignedInVisitor, "visitor" | "accountId">) {
  await visitor.get("/developers/audit");
  const entries = await auditEntries(area.db(), { accountId, action: "label.voided" });
  return entries.map(({ actor, subject, detail, source }) => ({ actor, subject, detail, source }));
}

describe("voiding", () => {
  test("asks first, then voids label, shipment and tracking, and is in the audit log, by whom", async () => {
    const { visitor, accountId, email, api, label } = await labelled();
    const { html } = await visitor.get(pathOf(label, "/void"));
    for (const said of ["Void this sandbox label?", label.tracking_number, "PO-1", "Zofia Wójcik"]) {
      expect(html).toContain(said);
    }
    expect((await api.get<Label>(`/labels/${label.id}`)).body.data.status).toBe("created");
    expect(await visitor.submit(pathOf(label, "/void"))).toMatchObject({ status: 303, location: pathOf(label) });
    expect((await api.get<Label>(`/labels/${label.id}`)).body.data.status).toBe("voided");
    expect((await api.get<{ status: string }>(`/tracking/${label.tracking_number}`)).body.data.status).toBe("voided");
    const page = (await visitor.get(pathOf(label))).html;
    const [event] = await voidEvents(carrier(), label.id);
    for (const said of ["This label is voided.", email, event ?? "no event"]) expect(page).toContain(said);
    const detail = label.tracking_number;
    expect(await auditOf({ visitor, accountId })).toEqual([
      { actor: email, subject: label.id, detail, source: "127.0.0.1" },
    ]);
    expect((await visitor.get("/developers/audit")).html).toContain("Label voided");
    // The form has no question left, so it redirects.
    expect(await visitor.get(pathOf(label, "/void"))).toMatchObject({ status: 303, location: pathOf(label) });
  });

  test("ten parallel submissions of one form, and one more later, are one voiding", async () => {
    const { visitor, accountId, label } = await labelled();
    const path = pathOf(label, "/void");
    const fields = fieldsOf((await visitor.get(path)).html);
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.post(path, fields)));
    expect([...answers, await visitor.post(path, fields)].map(({ status }) => status)).toEqual(Array(11).fill(303));
    expect(await voidEvents(carrier(), label.id)).toHaveLength(1);
    expect(await auditOf({ visitor, accountId })).toHaveLength(1);
  });

  test("two admins and a program at once: one has done it, and is named everywhere", async () => {
    const { visitor, accountId, email, api, keyId, label } = await labelled();
    const other = await area.signIn({ accountId });
    const path = pathOf(label, "/void");
    const forms = await Promise.all([visitor, other.visitor].map(async (who) => fieldsOf((await who.get(path)).html)));
    const [one, two, program] = await Promise.all([
      visitor.post(path, forms[0]),
      other.visitor.post(path, forms[1]),
      api.post(`/labels/${label.id}/void`, {}),
    ]);
    expect([one.status, two.status, program.status]).toEqual([303, 303, 200]);
    expect(await voidEvents(carrier(), label.id)).toHaveLength(1);
    const done = await voidedBy(carrier(), label.id);
    expect([email, other.email, keyId]).toContain(done);
    expect((await auditOf({ visitor, accountId })).map(({ actor }) => actor)).toEqual(done === keyId ? [] : [done]);
  });

  test("nothing is voided if no line for the audit log can be written; the same form sent again does both", async () => {
    const { visitor, accountId, api, label } = await labelled();
    const path = pathOf(label, "/void");
    const fields = fieldsOf((await visitor.get(path)).html);
    const refused = () => visitor.post(path, fields);
    expect((await withoutChanges(area.stack().databases.gateway, "label.voided", refused)).status).toBe(500);
    expect(await auditOf({ visitor, accountId })).toEqual([]);
    expect((await api.get<Label>(`/labels/${label.id}`)).body.data.status).toBe("created");
    expect((await visitor.post(path, fields)).status).toBe(303);
    expect(await auditOf({ visitor, accountId })).toHaveLength(1);
  });

  test("a form that has voided one label voids no other", async () => {
    const { visitor, api, label } = await labelled();
    const other = await createLabel(api);
    const fields = fieldsOf((await visitor.get(pathOf(label, "/void"))).html);
    expect((await visitor.post(pathOf(label, "/void"), fields)).status).toBe(303);
    expect((await visitor.post(pathOf(other, "/void"), fields)).status).toBe(409);
    expect((await api.get<Label>(`/labels/${other.id}`)).body.data.status).toBe("created");
  });
});
