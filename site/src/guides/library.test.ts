import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { guides } from "@shipping/api/guides";
import { library } from "../documents.js";

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

test("all words count, in whatever order, and one or two letters match no longer word", () => {
  const found = placesOf("idempotency-replayed");
  expect(found).toContain("idempotency#repeat-a-request");
  expect(placesOf("replayed replayed idempotency")).toEqual(found);
  expect([placesOf("ide"), placesOf("id")].map((places) => places.includes(found[0]!))).toEqual([true, false]);
});

test("ten words count, and no more of them", () => {
  const ten = "a b c d e f g h i key";
  expect(placesOf(`${ten} zzzzzzzz`)).toEqual(placesOf(ten));
  expect(placesOf("zzzzzzzz key")).toEqual([]);
  expect(placesOf("a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.".repeat(300))).toEqual(
    placesOf("a b c d e f g h i j"),
  );
});

test("a hundred characters count, and no more of them", () => {
  expect(placesOf(`retry${" ".repeat(95)}zzzzzzzz`)).toEqual(placesOf("retry"));
  expect(placesOf(`retry${" ".repeat(90)}zzzz`)).toEqual([]);
});

describe("the cost of a search", () => {
  // Runs in a process of its own, because Jest loads another build of the index, which is several times slower.
  const WORST = `
    import { library } from "./src/documents.ts";
    import { splitWords } from "./src/guides/library.ts";
    import { searchPage } from "./src/guides/serve-guides.tsx";
    const { sections, search } = library();
    const cpuMs = (turns, work) => {
      const before = process.cpuUsage();
      for (let turn = 0; turn < turns; turn++) work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 / turns;
    };
    const costliestFirst = (words, turns) =>
      words.map((word) => [word, cpuMs(turns, () => search(word))]).sort(([, a], [, b]) => b - a).map(([word]) => word);
    // The most expensive query of ten words, and the most expensive one that finds a page of results.
    const combine = (words, isWanted) => words.reduce((query, word) => {
      const longer = (query + " " + word).trim();
      return longer.length <= 100 && longer.split(" ").length <= 10 && isWanted(longer) ? longer : query;
    }, "");
    // Every word of the index with all its beginnings: no other word matches more.
    const words = sections.flatMap((section) => splitWords(Object.values(section).join(" ").toLowerCase()));
    const vocabulary = new Set(words.flatMap((word) => Array.from(word, (_, index) => word.slice(0, index + 1))));
    for (let turn = 0; turn < 300; turn++) search("t s c p r i a d l o");
    const costliest = costliestFirst(costliestFirst([...vocabulary], 1).slice(0, 100), 10);
    const queries = [combine(costliest, () => true), combine(costliest, (query) => search(query).length > 10), "t s c p r i a d l o"];
    // Other load on the machine makes a search more expensive, and also this sorting, which takes 4 ms on a slow idle core.
    const numbers = Array.from({ length: 20_000 }, (_, n) => (n * 7_919) % 20_011);
    const works = [() => [...numbers].sort((a, b) => a - b), ...queries.map((query) => () => searchPage({ hasArea: true }, query, search(query)))];
    const rounds = Array.from({ length: 9 }, () => works.map((work) => cpuMs(10, work)));
    const [yardstick, ...measured] = works.map((_, index) => Math.min(...rounds.map((round) => round[index])));
    console.log(JSON.stringify({ words: vocabulary.size, queries, measured, yardstick }));`;

  test("is at most 5 ms of CPU with the worst query that the whole vocabulary allows, its page included", async () => {
    const args = ["--conditions=source", "--import=tsx", "--input-type=module", "--eval", WORST];
    const cwd = join(import.meta.dirname, "../..");
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
    const { words, measured, yardstick } = JSON.parse(stdout);
    expect(words).toBeGreaterThan(5_000);
    const slowness = Math.max(1, yardstick / 4);
    expect(Math.max(...measured) / slowness).toBeLessThan(5);
  });
});

test("the text of a section counts more than its examples", () => {
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
