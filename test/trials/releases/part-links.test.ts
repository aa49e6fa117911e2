import { mkdtemp, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkParts } from "./part-links.js";

test("each part has a link of its own, which can be pointed elsewhere and back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "part-links-"));
  try {
    const links = await linkParts(join(folder, "parts"), "/old");
    expect(links.flags).toContain(`records=${join(folder, "parts/records")}`);
    const targets = () => Promise.all(["records", "gateway"].map((part) => readlink(join(folder, "parts", part))));
    expect(await targets()).toEqual(["/old", "/old"]);
    await links.point("records", "/new");
    expect(await targets()).toEqual(["/new", "/old"]);
    await links.point("records", "/old");
    expect(await targets()).toEqual(["/old", "/old"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
