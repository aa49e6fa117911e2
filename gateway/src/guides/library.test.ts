import { library } from "../openapi/documents.js";
import { guides } from "./guides.js";

const { page, search } = library();
const placesOf = (text: string) => search(text).map(({ href }) => href.replace("/docs/", ""));

describe("the examples", () => {
  const htmls = guides.map(({ slug }) => page(slug)?.rendered.html ?? "");

  test("that are requests are in curl, TypeScript and Python", () => {
    const examples = htmls.flatMap((html) => html.split('<div class="code-tabs">').slice(1));
    const languages = examples.map((example) => {
      const [tabs = ""] = example.split("</div></div>");
      return [...tabs.matchAll(/data-language="(.*?)"/g)].map(([, name]) => name).join();
    });
    expect(languages.filter((names) => names.includes("curl")).length).toBeGreaterThan(12);
    expect([...new Set(languages)].sort()).toEqual([
      "JavaScript,Python,Go,Ruby,PHP,Java",
      "TypeScript,Python",
      "curl,TypeScript,Python",
    ]);
    const alone = htmls.flatMap(
      (html) => html.match(/<figcaption>Shell<(?:(?!<\/figure>).)*hljs-built_in">curl/gs) ?? [],
    );
    // What the clients do not show: headers, and the document.
    expect(alone.length).toBeLessThanOrEqual(2);
  });

  test("say nothing of the repository: the reader has a key, and no more", () => {
    const said = htmls.flatMap(
      (html) => html.match(/npm (start|ci|run)|repository|DATA_DIR|\.data\/|test\/\w+/g) ?? [],
    );
    expect(said).toEqual([]);
  });
});

test("all words count, in whatever order, and the same word once", () => {
  const found = placesOf("idempotency-replayed");
  expect(found).toContain("idempotency#repeat-a-request");
  expect(placesOf("replayed idempotency")).toEqual(found);
  expect(placesOf("replayed replayed idempotency idempotency")).toEqual(found);
});

test("ten words count, and no more of them", () => {
  const ten = "a b c d e f g h i key";
  expect(placesOf(`${ten} zzzzzzzz`)).toEqual(placesOf(ten));
  expect(placesOf("zzzzzzzz key")).toEqual([]);
});

test("a hundred characters count, and no more of them", () => {
  expect(placesOf(`retry${" ".repeat(95)}zzzzzzzz`)).toEqual(placesOf("retry"));
  expect(placesOf(`retry${" ".repeat(90)}zzzz`)).toEqual([]);
});

test("the worst that can be asked costs milliseconds", () => {
  const before = process.cpuUsage();
  for (let n = 0; n < 10; n++) search("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.".repeat(300));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

test("what a section says counts more than what its examples happen to have", () => {
  const titles = search("retry").map(({ title }) => title);
  expect(titles.indexOf("Without a client")).toBeGreaterThan(titles.indexOf("Retries"));
  expect(search("urllib").map(({ title }) => title)).toContain("Without a client");
});

test("an excerpt begins and ends with a whole word", () => {
  const [{ href = "", excerpt = "" } = {}] = search("retries");
  const [slug = "", id] = href.replace("/docs/", "").split("#");
  const words =
    page(slug)
      ?.rendered.texts.find((part) => part.id === id)
      ?.text.split(/\s+/) ?? [];
  const shown = excerpt.split(/\s+/).filter((word) => word !== "…");
  expect(excerpt).toMatch(/ …$/);
  expect(shown.filter((word) => !words.includes(word))).toEqual([]);
});
