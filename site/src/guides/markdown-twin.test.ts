import { toMarkdownTwin } from "./markdown-twin.js";

const twin = (markdown: string, hasArea = true) => toMarkdownTwin(markdown, { hasArea }, "https://ship.example.com");

describe("the Markdown of a guide, for programs", () => {
  test.each([
    ["[x](errors.md)", "[x](/docs/errors.md)"],
    ["[`a]` b](webhooks.md#recipes)", "[`a]` b](/docs/webhooks.md#recipes)"],
    ["[x](../client/README.md), [y](#here)", "[x](/docs/client.md), [y](#here)"],
    ["[x](/docs/reference)", "[x](/docs/reference.md)"],
    ["[x](events/label.voided.md)", "[x](/docs/events/label.voided.md)"],
    ["[x](webhook-vectors.json)", "[x](/docs/webhook-vectors.json)"],
    ["![x](figures/retries.svg)", "![x](/docs/figures/retries.svg)"],
    ["[x](/api/v1/openapi.json)", "[x](/api/v1/openapi.json)"],
    ["[x](https://semver.org)", "[x](https://semver.org)"],
    ["[x](operations/install.md)", "x"],
    ["[x](/developers)", "[x](/developers)"],
  ])("%s becomes %s", (markdown, expected) => {
    expect(twin(markdown)).toBe(expected);
  });

  test("has no link to the developer area where that is not served", () => {
    expect(twin("[Sign in](/developers)", false)).toBe("Sign in");
  });

  test("keeps its code, with the language and without our marks, and names this installation", () => {
    const code = "curl https://shipping.example.com # [x](errors.md)";
    expect(twin(`1. a\n   \`\`\`sh fails tab\n   ${code}\n   \`\`\`\n[x](errors.md)`)).toBe(
      `1. a\n   \`\`\`sh\n   ${code.replace("shipping", "ship")}\n   \`\`\`\n[x](/docs/errors.md)`,
    );
  });
});
