import { BASE_PATH } from "@shipping/api/operations/operation";
import { refusal } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { ask, type Customer, create, newCustomer, type Resource, record } from "./operations.js";

let stack: Stack;
let customer: Customer;
let label: Resource;
/** The whole file. */
let file: Buffer;
let path: string;

async function newLabel(): Promise<Resource> {
  const { id } = await create(customer, "/shipments", record);
  return create(customer, "/labels", { shipment_id: id, rate_id: `rate_test_${id}` });
}

/** Requests the file, and yields status, headers and bytes. */
async function download(headers: Record<string, string> = {}, method = "GET", { id } = label, { key } = customer) {
  const url = `${new URL(stack.baseUrl).origin}${BASE_PATH}/labels/${id}/file`;
  const answer = await fetch(url, { method, headers: { Authorization: `Bearer ${key}`, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  label = await newLabel();
  path = `/labels/${label.id}/file`;
  file = (await download()).bytes;
});
afterAll(() => stack.stop());

const etag = () => `"${label.id}"`;

test("the file has a name, an entity tag, and is stored by clients that ask before they use it", async () => {
  const { status, headers } = await download();
  expect([status, Object.fromEntries(headers)]).toEqual([
    200,
    expect.objectContaining({
      "content-type": "application/pdf",
      "content-length": String(file.length),
      "content-disposition": `inline; filename="${label.tracking_number}.pdf"`,
      etag: etag(),
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
    }),
  ]);
  expect(headers.has("last-modified")).toBe(false);
});

describe("a client that has the file", () => {
  test("gets 304 for its entity tag, with the headers of the file", async () => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers, bytes } = await download({ "If-None-Match": etag() }, method);
      expect([status, bytes.length, headers.get("etag")]).toEqual([304, 0, etag()]);
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("content-disposition")).toContain(".pdf");
    }
  });

  test("its 304 counts as a request", async () => {
    const left = async () => {
      const { headers } = await download({ "If-None-Match": "*" });
      return Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
    };
    expect(await left()).toBe((await left()) + 1);
  });
});

// `kit/src/http/conditional.test.ts` has the rules of conditions and ranges.
test("a part of the file has its bytes, and beyond the end of the file there is none", async () => {
  const { status, headers, bytes } = await download({ Range: "bytes=100-", "If-Range": etag() });
  expect([status, headers.get("content-range")]).toEqual([206, `bytes 100-${file.length - 1}/${file.length}`]);
  expect(bytes.equals(file.subarray(100))).toBe(true);
  const beyond = await customer.send("GET", path, { headers: { Range: `bytes=${file.length}-` } });
  expect([refusal(beyond), beyond.headers.get("content-range")]).toEqual(["416 bad_request", `bytes */${file.length}`]);
});

describe("before conditions and ranges come", () => {
  const asked = { "If-None-Match": "*", Range: "bytes=999999-", "If-Match": '"other"' };

  test("the state of the label: a voided one is 409", async () => {
    const voided = await newLabel();
    await ask(customer, { method: "POST", path: `/labels/${voided.id}/void`, body: {} });
    for (const [name, value] of Object.entries({ ...asked, "If-None-Match": `"${voided.id}"` })) {
      for (const method of ["GET", "HEAD"])
        expect([name, method, (await download({ [name]: value }, method, voided)).status]).toEqual([name, method, 409]);
    }
    expect((await download({}, "GET", voided)).headers.get("cache-control")).toBe("no-store");
  });

  test("the key, and whose label it is", async () => {
    const stranger = await newCustomer(stack);
    for (const [name, value] of Object.entries(asked)) {
      expect([name, (await download({ [name]: value }, "GET", label, stranger)).status]).toEqual([name, 404]);
      expect([name, (await download({ [name]: value, Authorization: "none" })).status]).toEqual([name, 401]);
    }
  });

  test("JSON has neither: it is always whole, and stored nowhere", async () => {
    const { status, headers } = await customer.send("GET", `/labels/${label.id}`, {
      headers: { "If-None-Match": "*", Range: "bytes=0-4" },
    });
    expect([status, headers.get("cache-control"), headers.get("etag")]).toEqual([200, "no-store", null]);
  });
});
