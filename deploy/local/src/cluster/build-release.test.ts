import { commitOf } from "./build-release.js";

describe("commitOf", () => {
  test("is the hash of the commit that a revision names", async () => {
    const head = await commitOf("HEAD");
    expect(head).toMatch(/^[0-9a-f]{40}$/);
    expect(await commitOf(head.slice(0, 12))).toBe(head);
  });

  test.each(["nosuch", "--help", "HEAD:package.json", ""])(
    "refuses %j, which names no commit, with a sentence",
    async (revision) => {
      await expect(commitOf(revision)).rejects.toThrow(
        `This repository has no commit ${revision}. If the clone is shallow: git fetch --unshallow`,
      );
    },
  );
});
