import { readFile } from "node:fs/promises";
import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import { collection } from "./collection.js";
import { convertDocument } from "./convert-document.js";

const FILE = new URL("../../../../gateway/assets/gen/postman.json", import.meta.url);

interface Folder {
  item: { request: { method: string; url: { raw: string }; header: { key: string; value: string }[] } }[];
}

describe("the collection", () => {
  test("is that of this document", async () => {
    expect(JSON.parse(await readFile(FILE, "utf8"))).toEqual(await collection());
  });

  test("has every operation once, and a fresh key in each that writes", async () => {
    const { item }: { item: Folder[] } = await collection();
    const requests = item.flatMap((folder) => folder.item).map(({ request }) => request);
    expect(requests).toHaveLength(routes.length);
    expect(new Set(requests.map(({ method, url }) => `${method} ${url.raw}`)).size).toBe(routes.length);
    for (const { method, header } of requests)
      expect(header.find(({ key }) => key === "Idempotency-Key")?.value).toBe(
        method === "GET" ? undefined : "{{$guid}}",
      );
  });

  test("has variables where the examples have ids", async () => {
    const text = JSON.stringify(await collection());
    expect(text).toContain("{{base_url}}/labels/{{label_id}}/file");
    expect(text).toContain("rate_test_{{shipment_id}}");
    expect(text).not.toMatch(/(ord|shp|lbl|whk)_[a-z2-7]{26}|"_postman_id"/);
  });

  test("is of nothing that is no OpenAPI document", async () => {
    await expect(convertDocument({ openapi: "3.1.1" })).rejects.toThrow("must contain an Info Object");
  });
});
