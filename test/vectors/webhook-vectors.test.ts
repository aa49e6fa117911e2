import { readFileSync } from "node:fs";
import { join } from "node:path";
import { verifySignature } from "@shipping/webhooks/dispatch/signature";
import { type Vector, vectorsText, webhookVectors } from "./webhook-vectors.js";

const vectors = webhookVectors();

describe("docs/webhook-vectors.json", () => {
  test("is what write-webhook-vectors.ts writes", () => {
    expect(readFileSync(join(import.meta.dirname, "../../docs/webhook-vectors.json"), "utf8") === vectorsText()).toBe(
      true,
    );
  });

  test("names each vector once, and has good and bad ones", () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(new Set(vectors.map(({ valid }) => valid))).toEqual(new Set([true, false]));
  });

  test("has bodies up to 64 KiB, and some that are not what a parser writes", () => {
    const bodies = vectors.filter(({ valid }) => valid).map(({ body }) => Buffer.from(body, "base64").toString());
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBe(65_536);
    const rewritten = bodies.filter((body) => body.startsWith("{") && isOtherwise(body));
    expect(rewritten.length).toBeGreaterThan(5);
  });

  test("has three good ones that are no JSON, as docs/webhook-signatures.md says", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const isJson = ({ body }: Vector) => {
      try {
        return JSON.parse(decoder.decode(Buffer.from(body, "base64"))) !== undefined;
      } catch {
        return false;
      }
    };
    expect(vectors.filter((vector) => vector.valid && !isJson(vector)).length).toBe(3);
    expect(readFileSync(join(import.meta.dirname, "../../docs/webhook-signatures.md"), "utf8")).toContain(
      "Three of the valid bodies are not JSON",
    );
  });

  test.each(vectors)("$name: $valid, as the platform's own check says", ({ secret, header, body, now, valid }) => {
    expect(verifySignature(secret, header, Buffer.from(body, "base64"), now)).toBe(valid);
  });
});

function isOtherwise(body: string): boolean {
  try {
    return JSON.stringify(JSON.parse(body)) !== body;
  } catch {
    return true;
  }
}
