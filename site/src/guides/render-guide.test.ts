import { guides } from "@shipping/api/guides";
import { renderCode, renderGuide } from "./render-guide.js";

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
      ["", "first"],
      ["what-to-do", "code here"],
      ["in-python", "x"],
    ]);
  });

  test.each([
    ["[x](errors.md)", '<a href="/docs/errors">x</a>'],
    ["[x](webhooks.md#recipes)", '<a href="/docs/webhooks#recipes">x</a>'],
    ["[x](../client/README.md)", '<a href="/docs/client">x</a>'],
    ["[x](/docs/reference)", '<a href="/docs/reference">x</a>'],
    ["[x](operations/install.md)", "<span>x</span>"],
    ["[x](webhook-vectors.json)", '<a href="/docs/webhook-vectors.json">x</a>'],
  ])("%s becomes %s", (markdown, expected) => {
    expect(html(markdown)).toBe(`<p>${expected}</p>\n`);
  });

  test("shows a picture at its size, with a URL that changes with it, from any folder", () => {
    for (const source of ["figures/retries.svg", "../figures/retries.svg"])
      expect(html(`![a "b"](${source})`)).toMatch(
        /^<p><img class="figure" src="\/docs\/figures\/retries\.svg\?v=\w+" width="720" height="190" loading="lazy" alt="a &quot;b&quot;"><\/p>$/m,
      );
    expect(html("![a](figures/other.svg)")).toBe("<p>a</p>\n");
  });

  test("lets a link lead to the row of an error code, and to no other row", () => {
    const rows = html("| code | is |\n| --- | --- |\n| `not_found` | a |\n| `data` | b |\n| `not_found` or so | c |\n");
    expect(rows.match(/<tr[^>]*>/g)).toEqual(["<tr>", '<tr id="not_found">', "<tr>", "<tr>"]);
  });

  test("has a link to itself in each heading but the first", () => {
    expect(html("# A\n\n## Say “x” & `y`\n")).toBe(
      '<h1 id="a">A</h1>\n<div class="heading"><h2 id="say-x--y">Say “x” &amp; <code>y</code></h2>' +
        '<a class="anchor" href="#say-x--y" aria-label="Link to “Say “x” &amp; y”">#</a></div>\n',
    );
  });

  test("names the column in each cell, for windows in which a row is a card", () => {
    const rows = html("| a `b` | c |\n| --- | --- |\n| 1 | 2 |\n\n|  | d |\n| --- | --- |\n| 3 | 4 |\n");
    expect(rows.match(/<td[^>]*>/g)).toEqual([
      '<td data-label="a b">',
      '<td data-label="c">',
      "<td>",
      '<td data-label="d">',
    ]);
  });

  test("lets commands in a cell break, and no names", () => {
    const command = "npx tsc --noEmit --strict --target es2022";
    const cells = html(`| a | b |\n| --- | --- |\n| \`${command}\` | \`weight_kg\` |\n`);
    expect(cells.match(/<code.*?<\/code>/g)).toEqual([
      `<code class="long">${command}</code>`,
      "<code>weight_kg</code>",
    ]);
  });

  test("makes one example of code blocks in a row that are marked as tabs, with their outputs", () => {
    const tabs = "```sh tab\ncurl x\n```\n\n```json output tab\n{}\n```\n\n```ts tab\nx\n```\n";
    const made = html(`${tabs}\n\`\`\`ts\ny\n\`\`\`\n`);
    expect(made.match(/data-language="\w+"|<figcaption>\w+/g)).toEqual([
      'data-language="curl"',
      "<figcaption>curl",
      "<figcaption>Output",
      'data-language="TypeScript"',
      "<figcaption>TypeScript",
      "<figcaption>TypeScript",
    ]);
    expect(html(`${tabs}\n\nAnd:\n\n${tabs}`).match(/class="code-tabs"/g)).toHaveLength(2);
  });

  test("shows HTML as text, in code too", () => {
    expect(html("<script>x</script>")).toBe("<p>&lt;script&gt;x&lt;/script&gt;</p>\n");
    expect(html("```sh\n<b>\n```")).toContain("&lt;b&gt;\n</code>");
  });
});

type Code = Parameters<typeof renderCode>[0][number];

const curl: Code = { language: "sh", code: 'curl "$SHIPPING_URL/account"\n' };
const typescript: Code = { language: "ts", code: "await shipping.account.get();\n" };
const textOf = (html: string) => html.replace(/<[^>]*>/g, "");

describe("a code example", () => {
  test("is coloured by classes, never by inline styles", () => {
    const html = renderCode([{ language: "json", code: '{ "id": 1 }' }]);
    expect(html).toContain('<span class="hljs-attr">&quot;id&quot;</span>');
    expect(html).not.toMatch(/style=/);
  });

  test.each(["sh", "http", "text", "constructor"])(
    "in %s, shows its text and nothing else, markup as text",
    (language) => {
      const code = "if a < b && c > \"d\" # </pre><script>x</script>\n\t'é'";
      const shown = textOf(renderCode([{ language, code, caption: "" }]));
      const escapes: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
      expect(shown.replace(/&([^;]+);/g, (whole, name) => escapes[name] ?? whole).trimEnd()).toBe(code);
    },
  );

  test("is named by its caption, or else by its language, so that the button that copies hides no code", () => {
    expect(renderCode([typescript])).toContain("<figcaption>TypeScript</figcaption>");
    expect(renderCode([{ ...typescript, caption: "Next.js" }])).toContain("<figcaption>Next.js</figcaption>");
    expect(renderCode([{ language: "text", code: "x" }])).toContain("<figcaption>Text</figcaption>");
  });

  test("is whole without script: nothing is hidden", () => {
    expect(renderCode([curl, typescript])).not.toMatch(/hidden|role=|<button/);
  });
});
