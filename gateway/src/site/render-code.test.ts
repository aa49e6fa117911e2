import { renderCode } from "./render-code.js";

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

  test.each(["sh", "ts", "js", "json", "http", "python", "go", "ruby", "php", "java", "text", "constructor"])(
    "in %s, shows its text and nothing else, markup as text",
    (language) => {
      const code = "if a < b && c > \"d\" # </pre><script>x</script>\n\t'é'";
      const shown = textOf(renderCode([{ language, code, caption: "" }]));
      const escapes: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
      expect(shown.replace(/&([^;]+);/g, (whole, name) => escapes[name] ?? whole).trimEnd()).toBe(code);
    },
  );

  test("is named by its caption, or else by its language; plain text needs no name", () => {
    expect(renderCode([typescript])).toContain("<figcaption>TypeScript</figcaption>");
    expect(renderCode([{ ...typescript, caption: "Next.js" }])).toContain("<figcaption>Next.js</figcaption>");
    expect(renderCode([{ language: "text", code: "x" }])).not.toContain("figcaption");
  });

  test("in several languages has a panel for each, under the name that its tab will have", () => {
    const html = renderCode([curl, { language: "json", code: "{}", isOutput: true }, typescript]);
    expect([...html.matchAll(/data-language="(.*?)"/g)].map(([, name]) => name)).toEqual(["curl", "TypeScript"]);
    const [first = ""] = html.split('data-language="TypeScript"');
    expect(first).toContain('<figure class="code output">');
  });

  test("is whole without script: nothing is hidden", () => {
    expect(renderCode([curl, typescript])).not.toMatch(/hidden|role=|<button/);
  });
});
