import { guides } from "./guides.js";
import { renderGuide } from "./render-guide.js";

const guide = guides[0]!;
const html = (markdown: string) => renderGuide(guide, markdown).html;

describe("a guide", () => {
  test("has its sections, under the ids that GitHub gives them", () => {
    const { sections, texts } = renderGuide(
      guide,
      "# A\n\nfirst\n\n## What to do?\n\n`code` here\n\n### In Python\n\nx",
    );
    expect(sections).toEqual([
      { id: "what-to-do", title: "What to do?", level: 2 },
      { id: "in-python", title: "In Python", level: 3 },
    ]);
    expect(texts.map(({ id, text }) => [id, text.trim()])).toEqual([
      ["", "A first"],
      ["what-to-do", "What to do? code here"],
      ["in-python", "In Python x"],
    ]);
  });

  test.each([
    ["[x](errors.md)", '<a href="/docs/errors">x</a>'],
    ["[x](webhooks.md#recipes)", '<a href="/docs/webhooks#recipes">x</a>'],
    ["[x](../client/README.md)", '<a href="/docs/client">x</a>'],
    ["[x](#here)", '<a href="#here">x</a>'],
    ["[x](/docs/reference)", '<a href="/docs/reference">x</a>'],
    ["[x](https://semver.org)", '<a href="https://semver.org">x</a>'],
    ["[x](operations.md)", "<span>x</span>"],
    ["[x](../test/vectors/webhooks.json)", "<span>x</span>"],
  ])("%s becomes %s", (markdown, expected) => {
    expect(html(markdown)).toBe(`<p>${expected}</p>\n`);
  });

  test("lets a link lead to the row of an error code, and to no other row", () => {
    const rows = html("| code | is |\n| --- | --- |\n| `not_found` | a |\n| `data` | b |\n| `not_found` or so | c |\n");
    expect(rows.match(/<tr[^>]*>/g)).toEqual(["<tr>", '<tr id="not_found">', "<tr>", "<tr>"]);
  });

  test("names what a code block is, and keeps its marks to itself", () => {
    expect(html("```sh fails\nfalse\n```")).toBe(
      '<figure><figcaption>Shell</figcaption><pre tabindex="0"><code>false\n</code></pre></figure>\n',
    );
    expect(html("```json output\n{}\n```")).toContain('<figure class="output"><figcaption>Output</figcaption>');
  });

  test("shows HTML as text, in code too", () => {
    expect(html("<script>x</script>")).toBe("<p>&lt;script&gt;x&lt;/script&gt;</p>\n");
    expect(html("```sh\n<b>\n```")).toContain("<code>&lt;b&gt;\n</code>");
  });
});
