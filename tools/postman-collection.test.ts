import { operations } from "@shipping/api/operations/operations";
import { convertDocument, postmanCollection } from "./postman-collection.js";

interface Folder {
  item: { request: { method: string; url: { raw: string }; header: { key: string; value: string }[] } }[];
}

describe("the collection", () => {
  test("has every operation once, and a fresh key in each that writes", async () => {
    const { item }: { item: Folder[] } = await postmanCollection();
    const requests = item.flatMap((folder) => folder.item).map(({ request }) => request);
    expect(requests).toHaveLength(operations.length);
    expect(new Set(requests.map(({ method, url }) => `${method} ${url.raw}`)).size).toBe(operations.length);
    for (const { method, header } of requests)
      expect(header.find(({ key }) => key === "Idempotency-Key")?.value).toBe(
        method === "GET" ? undefined : "{{$guid}}",
      );
  });

  test("has variables where the examples have ids", async () => {
    const text = JSON.stringify(await postmanCollection());
    expect(text).toContain("{{base_url}}/labels/{{label_id}}/file");
    expect(text).toContain("rate_test_{{shipment_id}}");
    expect(text).not.toMatch(/(ord|shp|lbl|whk)_[a-z2-7]{26}|"_postman_id"/);
  });

  test("is refused for any other document", async () => {
    await expect(convertDocument({ openapi: "3.1.1" })).rejects.toThrow("must contain an Info Object");
  });
});
