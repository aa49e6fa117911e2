import { type ApiAnswer, type ApiClient, type Order, refusal } from "../platform/api-client.js";
import { FULL_RECORD, RECORD, usePlatform } from "./platform.js";

const platform = usePlatform();

// Orders and shipments share their input fields, so every rule is tested for both.
describe.each(["/orders", "/shipments"])("the fields of POST %s", (path) => {
  let api: ApiClient;
  beforeEach(async () => {
    api = await platform.sandbox();
  });

  const post = (change: object): Promise<ApiAnswer<Order>> => api.post(path, { ...RECORD, ...change });
  const refused = async (change: object) => refusal(await post(change));

  /** Sends the record with its weight as this JSON text. */
  const postWeight = (text: string): Promise<ApiAnswer<Order>> =>
    api.post(path, JSON.stringify(RECORD).replace('"weight_kg":1.25', `"weight_kg":${text}`));

  test.each(["0", "-0", "0.0", "1e-400", "-1", "1000.0001", "1e400", "-1e400", '"5"', "null", "true", "[1]", "{}"])(
    "422 for the weight %s",
    async (text) => {
      expect(refusal(await postWeight(text))).toBe("422 invalid_request parcel.weight_kg");
    },
  );

  test.each([
    ...["1000", "1e3", "1000.0", "0.0001", "5e-324", "999.9999999999999", "0.1"],
    // More digits than a double has, as PHP, ABAP, .NET and Java print them: the nearest double is stored.
    ...["0.10000000000000001", "67.200000000000003", "1.0000000000000001E-001", "1000.00000000000000001"],
    "0.1000000000000000055511151231257827021181583404541015625",
  ])("201 for the weight %s, and it is returned as that number", async (text) => {
    const { status, body } = await postWeight(text);
    expect(status).toBe(201);
    expect(body.data.parcel.weight_kg).toBe(Number(text));
    const { data } = (await api.get<Order>(`${path}/${body.data.id}`)).body;
    expect(data.parcel.weight_kg).toBe(Number(text));
  });

  test("422 for every measure of the parcel that is out of bounds, each by its path", async () => {
    const parcel = { weight_kg: 0, length_cm: 1000.5, width_cm: -1, height_cm: "1" };
    expect(await refused({ parcel })).toBe(
      "422 invalid_request parcel.height_cm parcel.length_cm parcel.weight_kg parcel.width_cm",
    );
  });

  const texts = ["city", "company", "email", "name", "phone", "postal_code", "state", "street1", "street2"];
  const required = ["city", "name", "postal_code", "street1"];

  test.each(texts)("201 for %s of 200 code points, 422 for 201", async (field) => {
    const to = (text: string) => ({ to: { ...RECORD.to, [field]: text } });
    for (const character of ["x", "ß", "😀"]) {
      const { status, body } = await post(to(character.repeat(200)));
      expect(status).toBe(201);
      expect(body.data.to).toEqual(to(character.repeat(200)).to);
      expect(await refused(to(character.repeat(201)))).toBe(`422 invalid_request to.${field}`);
    }
  });

  test("201 for a reference of 200 code points, 422 for 201", async () => {
    expect((await post({ reference: "😀".repeat(200) })).body.data.reference).toBe("😀".repeat(200));
    expect(await refused({ reference: "😀".repeat(201) })).toBe("422 invalid_request reference");
  });

  test.each(["", " ", "\t\r\n", "\u00a0\u2003\u3000", "\u0085", "\u1680\u2028\u2029\u202f\u205f"])(
    "422 for required strings that hold nothing but %j",
    async (blank) => {
      const blanks = Object.fromEntries(required.map((field) => [field, blank]));
      const names = required.map((field) => `from.${field}`).join(" ");
      expect(await refused({ from: { ...RECORD.from, ...blanks } })).toBe(`422 invalid_request ${names}`);
      expect(await refused({ reference: blank })).toBe("422 invalid_request reference");
    },
  );

  test("201 for optional strings that are empty or blank: they are returned as sent", async () => {
    const to = { ...RECORD.to, company: "", street2: " ", state: "\t", email: "", phone: "\n" };
    expect((await post({ to })).body.data.to).toStrictEqual(to);
  });

  test.each(["\ufeff", "\u200b", "\u180e", "\u2060"])(
    "201 for required strings that hold nothing but %j, which Unicode does not count as white space",
    async (text) => {
      const { status, body } = await post({ reference: text, to: { ...RECORD.to, name: text } });
      expect([status, body.data?.reference, body.data?.to.name]).toEqual([201, text, text]);
    },
  );

  test("201 for strings with white space around them: nothing is trimmed", async () => {
    const { data } = (await post({ reference: "  PO\t1\r\n" })).body;
    expect(data.reference).toBe("  PO\t1\r\n");
    expect((await api.get<Order>(`${path}/${data.id}`)).body.data.reference).toBe("  PO\t1\r\n");
  });

  test.each(["\u0000", "\u0001", "\b", "\v", "\f", "\u001f", "\ud800", "\udc00", "\ude00\ud83d"])(
    "422 for %j in any string",
    async (bad) => {
      const everywhere = Object.fromEntries(texts.map((field) => [field, `a${bad}`]));
      const names = texts.map((field) => `to.${field}`).join(" ");
      expect(await refused({ reference: `${bad}a`, to: { ...RECORD.to, ...everywhere } })).toBe(
        `422 invalid_request reference ${names}`,
      );
    },
  );

  test.each(["\t\r\n", "\u007f\u0085\u009f", "\u202e\u200b\ufeff\ufffd\uffff", "𝄞\u{10ffff}", "<b>&amp;'\"\\$1%s"])(
    "201 for %j in any string, returned as sent",
    async (odd) => {
      const to = { ...RECORD.to, ...Object.fromEntries(texts.map((field) => [field, `a${odd}`])) };
      const { data } = (await post({ reference: `a${odd}`, to })).body;
      expect([data.reference, data.to]).toEqual([`a${odd}`, to]);
      expect((await api.get(`${path}/${data.id}`)).body.data).toEqual(data);
    },
  );

  test.each(["de", "De", "D", "DEU", "", "D1", " DE", "DE\n", "ÄÖ", "ＤＥ", null, 5])(
    "422 for the country %j",
    async (country) => {
      expect(await refused({ from: { ...RECORD.from, country } })).toBe("422 invalid_request from.country");
    },
  );

  test("201 for any email address and phone number: only their length is a rule", async () => {
    const to = { ...RECORD.to, email: "nobody at all", phone: "by pigeon" };
    expect((await post({ to })).body.data.to).toEqual(to);
  });

  test.each(["reference", "from", "to", "parcel"])("422 for %s absent, null or of another type", async (field) => {
    for (const value of [undefined, null, 5, [], true]) {
      expect(await refused({ [field]: value })).toBe(`422 invalid_request ${field}`);
    }
    expect((await post({ [field]: null })).body.error.message).toBe(`${field}: is required`);
  });

  test("422 for null where an optional field may be absent", async () => {
    const nulls = { company: null, street2: null, state: null, email: null, phone: null };
    const answer = await post({ to: { ...RECORD.to, ...nulls }, metadata: null });
    expect(refusal(answer)).toBe("422 invalid_request metadata to.company to.email to.phone to.state to.street2");
    const messages = answer.body.error.fields?.map(({ message }) => message);
    expect(new Set(messages)).toEqual(new Set(["is null: leave the member out"]));
  });

  test.each(["zip", "__proto__", "constructor", "toString"])(
    "422 for the unknown member %s, by its path",
    async (name) => {
      const added = (text: string) => text.replace("{", `{"${name}":"x",`);
      const inside = { ...RECORD, to: "TO", parcel: "PARCEL" };
      const text = added(JSON.stringify(inside))
        .replace('"TO"', added(JSON.stringify(RECORD.to)))
        .replace('"PARCEL"', added(JSON.stringify(RECORD.parcel)));
      const names = [name, `parcel.${name}`, `to.${name}`].sort().join(" ");
      expect(refusal(await api.post(path, text))).toBe(`422 invalid_request ${names}`);
    },
  );

  test("422 names every field at fault at once, with its rule", async () => {
    const to = { ...RECORD.to, country: "pl", zip: "1" };
    const answer = await post({ reference: "", to, parcel: null, more: 1 });
    expect(refusal(answer)).toBe("422 invalid_request more parcel reference to.country to.zip");
    for (const { message } of answer.body.error.fields ?? []) expect(answer.body.error.message).toContain(message);
  });

  // Below 33 levels it is metadata that is too deep.
  test.each([
    [32, "metadata"],
    [33, "body"],
    [30_000, "body"],
  ])("422 for JSON nested %i levels deep, by the path %s", async (levels, field) => {
    const nested = "[".repeat(levels - 2) + "]".repeat(levels - 2);
    const text = JSON.stringify(FULL_RECORD).replace('"gift":true', `"gift":${nested}`);
    expect(refusal(await api.post(path, text))).toBe(`422 invalid_request ${field}`);
  });

  test("201 with the last of duplicate members", async () => {
    const text = JSON.stringify(RECORD).replace('"reference":', '"reference":"first","reference":');
    expect((await api.post<Order>(path, text)).body.data.reference).toBe(RECORD.reference);
  });
});
