import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "@shipping/proto/errors";
import * as client from "shipping-client";

const kinds = Object.entries(client)
  .filter(([name]) => /.Error$/.test(name) && name !== "ShippingError")
  .map(([name, kind]) => ({ name, kind: kind as typeof client.ShippingError }));

/** The error that the client throws for a response of the API. */
async function thrownAt(status: number, code: string): Promise<unknown> {
  const { account } = new client.Shipping({
    apiKey: "service_test_x",
    baseUrl: "https://ship.example/api/v1",
    maxRetries: 0,
    fetch: async () => Response.json({ error: { code, message: "…", request_id: "req_1" } }, { status }),
  });
  return account.get().catch((error: unknown) => error);
}

const kindsOf = (error: unknown) => kinds.filter(({ kind }) => error instanceof kind).map(({ name }) => name);
const codes = Object.entries(errors).map(([code, { status }]) => ({ code, status }));

describe("the client's classes of errors", () => {
  test.each(codes)("$status $code has one, the same as any code of its status", async ({ code, status }) => {
    const found = kindsOf(await thrownAt(status, code));
    expect(found).toHaveLength(1);
    expect(kindsOf(await thrownAt(status, "a_code_of_tomorrow"))).toEqual(found);
  });

  test("are in the table of its README, with their codes", async () => {
    const readme = readFileSync(join(import.meta.dirname, "../../client/README.md"), "utf8");
    const rows = [...readme.matchAll(/^\| `(\w+Error)` +\| (.+?) +\|/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(kinds.map(({ name }) => name).sort());
    const listed = rows.flatMap(([, name, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => [code, name]),
    );
    const ofApi = listed.filter(([code = ""]) => Object.hasOwn(errors, code));
    const thrown = await Promise.all(
      codes.map(async ({ code, status }) => [code, ...kindsOf(await thrownAt(status, code))]),
    );
    expect(ofApi.sort()).toEqual(thrown.sort());
  });
});
