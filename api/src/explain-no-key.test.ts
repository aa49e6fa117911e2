import { newApiKey, parseApiKey } from "./api-key.js";
import { explainNoKey, type Sent } from "./explain-no-key.js";

// The key is the same in every run, because names of tests contain it.
const { key } = newApiKey("sandbox", (count) => Buffer.alloc(count, "a key"));
const OF_A_CELL = "service_test_eu_4kQz81mWx2LbRt9Yp0VnCs7HdJfGa3VDrZR";
const basic = Buffer.from(`${key}:`).toString("base64");

test.each<[headers: string[], expected: string]>([
  [[], "is missing. Add an Authorization header"],
  [[""], "is missing"],
  [["a", "b"], "two Authorization headers"],
  [["Bearer"], "has no API key. Send it as Authorization: Bearer"],
  [["hunter2"], "has no API key. Send it as Authorization: Bearer"],
  [[key], "Bearer is missing before the API key"],
  [[`Bearer Bearer ${key}`], "Bearer is there twice"],
  [[`bearer  Bearer: ${key}`], "Bearer is there twice"],
  [[`Token ${key}`], "has the scheme Token, not Bearer"],
  [[`Basic ${basic}`], "with Basic authentication, as curl -u does. Send it as Authorization: Bearer"],
  [[`basic ${Buffer.from(`api:${key}`).toString("base64")}`], "with Basic authentication"],
  [["Basic aHVudGVyMjpodW50ZXIy"], "has the scheme Basic, not Bearer"],
  [[`ApiKey ${key}`], "has the scheme ApiKey, not Bearer"],
  [[`ShippoToken ${key}`], "Another word than Bearer stands before the API key. Send it as Authorization: Bearer"],
  [["hunter2 hunter2"], "has no API key"],
  [[`Bearer: ${key}`], "Only a space may stand between"],
  [[`Bearer=${key}`], "Only a space may stand between"],
  [[`Bearer\t${key}`], "Only a space may stand between"],
  [[`Bearer${key}`], "Only a space may stand between"],
  [[`"Bearer ${key}"`], "quotes around the value of the Authorization header"],
  ...["''", '""', "<>", "{}", "``"].map(([open, close]): [string[], string] => [
    [`Bearer ${open}${key}${close}`],
    "quotes or brackets around the API key",
  ]),
  ...[",", ";", "\\n", "\u00e2\u0080\u008b", " x"].map((end): [string[], string] => [
    [`Bearer ${key}${end}`],
    "something beside the API key",
  ]),
  [[`Bearer key=${key}`], "something beside the API key"],
  [[`Bearer ${key}, Bearer ${key}`], "two API keys"],
  ...["undefined", "null", "None", "[object Promise]", "$SHIPPING_KEY", "$", "{{key}}", "%KEY%"].map(
    (text): [string[], string] => [[`Bearer ${text}`], "a value that was never set"],
  ),
  [["Bearer whsec_hunter2"], "the secret of a webhook subscription"],
  [["Bearer key_hunter2"], "the ID of an API key"],
  [["Bearer YOUR_SANDBOX_KEY"], "a placeholder such as YOUR_SANDBOX_KEY"],
  [["Bearer <your key>"], "a placeholder"],
  [["Bearer hunter2"], "This is not an API key"],
  [[`Bearer ${key.slice(0, -1)}`], "is incomplete or was changed"],
  [[`Bearer ${key.slice(0, -1)}0`], "is incomplete or was changed"],
  [[`Bearer ${key}0`], "is incomplete or was changed"],
  [["Bearer service_test_****"], "is incomplete or was changed"],
  [[`Bearer ${key.toUpperCase()}`], "is incomplete or was changed"],
  [[`Bearer ${OF_A_CELL.slice(0, -1)}`], "is incomplete or was changed"],
  [[`Bearer ${OF_A_CELL.replace("eu_", "us_")}`], "is incomplete or was changed"],
  [[`Bearer ${OF_A_CELL},`], "something beside the API key"],
  [[`Bearer ${OF_A_CELL} ${key}`], "two API keys"],
])("%j: %s", (headers, expected) => {
  expect(parseApiKey(headers[0])).toBeUndefined();
  const said = explainNoKey({ headersDistinct: { authorization: headers } });
  expect(said).toContain(expected);
  expect(said).not.toMatch(/hunter2|service_test_\w/);
});

const inHeader = (name: string, value = key): Sent => ({ headersDistinct: { host: ["a"], [name]: [value] } });
const inQuery = (query: string): Sent => ({ url: `/api/v1/orders?${query}`, headersDistinct: { host: ["a"] } });

test.each<[Sent, string]>([
  ...["x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token", "token", "proxy-authorization"].map(
    (name): [Sent, string] => [
      inHeader(name),
      `, not in ${name.startsWith("proxy") ? "another header" : `the header ${name}`}.`,
    ],
  ),
  [inHeader("x-api-key", "YOUR_SANDBOX_KEY"), "not in the header x-api-key."],
  [inHeader("cookie", `key=${key}`), "not in another header."],
  [inHeader(key.toLowerCase(), key), "not in another header."],
  [{ headersDistinct: { authorization: ["Basic aHVudGVyMg=="], "x-api-key": [key] } }, "not in the header x-api-key."],
  ...[`api_key=${key}`, `limit=1&access_token=${key}`, key, `q=Bearer%20${key}`].map((query): [Sent, string] => [
    inQuery(query),
    "not in the query. Then replace the key",
  ]),
  ...["apiKey=hunter2", "limit=1&access_token=hunter2", "key="].map((query): [Sent, string] => [
    inQuery(query),
    "not in the query.",
  ]),
  [inHeader("idempotency-key", "hunter2"), "The API key is missing."],
  [inQuery("limit=1"), "The API key is missing."],
])("%j: %s", (request, expected) => {
  expect(explainNoKey(request)).toContain(expected);
  expect(explainNoKey(request)).toContain("Authorization: Bearer <key>");
  expect(explainNoKey(request)).not.toMatch(/hunter2|service_test_\w/i);
});

test("a whole key of a cell belongs to another installation, and nothing of it is repeated", () => {
  const request = { headersDistinct: { authorization: [`Bearer ${OF_A_CELL}`] } };
  expect(explainNoKey(request)).toMatch(/^This is an API key of another installation/);
  expect(explainNoKey(request)).not.toMatch(/\beu\b|service_test_\w/);
});
