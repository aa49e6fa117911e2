import { guides } from "@shipping/api/guides";
import { findGuide } from "../documents.js";

describe("the examples", () => {
  const htmls = guides.map(({ slug }) => findGuide(slug)?.rendered.html ?? "");

  test("that are requests are in curl, TypeScript and Python", () => {
    const examples = htmls.flatMap((html) => html.split('<div class="code-tabs">').slice(1));
    const languages = examples.map((example) => {
      const [tabs = ""] = example.split("</div></div>");
      return [...tabs.matchAll(/data-language="(.*?)"/g)].map(([, name]) => name).join();
    });
    expect(languages.filter((names) => names.includes("curl")).length).toBeGreaterThan(12);
    expect([...new Set(languages)].sort()).toEqual([
      "JavaScript,Python,Go",
      "JavaScript,Python,Go,Ruby,PHP,Java",
      "PHP,Java,Ruby,Go",
      "TypeScript,Python",
      "curl,TypeScript,Python",
    ]);
    const alone = htmls.flatMap(
      (html) => html.match(/<figcaption>Shell<(?:(?!<\/figure>).)*hljs-built_in">curl/gs) ?? [],
    );
    // Topics that the clients do not cover: headers, the document, and pages in Markdown.
    expect(alone.length).toBeLessThanOrEqual(3);
  });

  test("do not mention the repository: the reader has only a key", () => {
    const said = htmls.flatMap(
      (html) => html.match(/npm (start|ci|run)|repository|DATA_DIR|\.data\/|test\/\w+/g) ?? [],
    );
    expect(said).toEqual([]);
  });
});
