import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fromNpm } from "../versions/get-programs.js";
import { sqlMutants } from "./sql-mutants.js";

// The last version that runs on Node 20. Only this part of Stryker is used: its runner for Jest does not support environments below `<rootDir>`
// (stryker-js #6108), starts Jest and its servers for each mutant, and runs a copy of the tree whose workspaces are still those of the original.
const INSTRUMENTER = "9.6.1";

export interface Mutant {
  id: string;
  /** Relative to the root of the repository. */
  file: string;
  line: number;
  original: string;
  replacement: string;
}

/** The input of `jest/`: the files of mutants by their IDs, the sources with all mutants in them, and the mutants of statements by their text. */
export interface Plan {
  files: Record<string, string>;
  sources: Record<string, string>;
  sqlMutants: Record<string, { id: string; strings: string[]; values: number[] }[]>;
}

interface Instrumenter {
  instrument(
    files: object[],
    options: object,
  ): Promise<{ files: { name: string; content: string }[]; mutants: Found[] }>;
}
interface Found {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  status?: string;
  location: Record<"start" | "end", { line: number; column: number }>;
}

/** The part of Babel's path that is read here. */
interface Path {
  node: {
    start: number;
    end: number;
    quasi: { quasis: { value: { cooked: string } }[]; expressions: { start: number; end: number }[] };
  };
  key: string | number | null;
  listKey: string | null;
  parentPath: Path | null;
  isCallExpression(): boolean;
  isVariableDeclarator(): boolean;
  isNewExpression(): boolean;
  get(part: string): { isIdentifier(named: { name: string }): boolean };
  toString(): string;
}

/** The texts for operators and developers are not part of the tests' promises. */
const ignorer = {
  shouldIgnore(path: Path): string | undefined {
    const isSpanName = path.listKey === "arguments" && path.key === 0;
    if (isSpanName && path.parentPath?.get("callee").isIdentifier({ name: "traced" })) return "for operators";
    if (path.isVariableDeclarator() && path.get("id").isIdentifier({ name: "help" })) return "for operators";
    if (!path.isCallExpression() && !path.isNewExpression()) return undefined;
    const text = path.toString().slice(0, 40);
    return /^((\w+\.)*log\.\w+|span\.\w+)\(|^new (\w*Error|AddressRefused|ProxyFailed|Counter|Gauge|Histogram)\(/.test(
      text,
    )
      ? "for operators"
      : undefined;
  },
};

/** All mutants of these files and folders: Stryker's, and those of their statements. */
export async function findMutants(root: string, places: string[]): Promise<{ mutants: Mutant[]; plan: Plan }> {
  const files = places.flatMap((place) =>
    place.endsWith(".ts")
      ? [place]
      : readdirSync(join(root, place))
          .filter((name) => /\.ts$/.test(name) && !name.endsWith(".test.ts"))
          .map((name) => `${place}/${name}`),
  );
  const folder = await fromNpm("@stryker-mutator/instrumenter", INSTRUMENTER);
  const { Instrumenter } = await import(pathToFileURL(join(folder, "dist/src/index.js")).href);
  const instrumenter: Instrumenter = new Instrumenter({ debug() {}, info() {}, isDebugEnabled: () => false });
  const read = files.map((name) => ({ name, content: readFileSync(join(root, name), "utf8"), mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [ignorer] };
  const instrumented = await instrumenter.instrument(read, options);
  const texts = new Map(read.map(({ name, content }) => [name, content]));
  const mutants = instrumented.mutants
    .filter(({ status }) => status !== "Ignored")
    .flatMap(({ id, fileName, replacement, location }) => {
      const text = texts.get(fileName) ?? "";
      const lines = text.split("\n");
      const [start, end] = [location.start, location.end].map(
        ({ line, column }) => lines.slice(0, line).reduce((sum, before) => sum + before.length + 1, 0) + column,
      );
      // Statements have mutants of their own.
      if (text.slice(0, start).endsWith("sql")) return [];
      return { id, file: fileName, line: location.start.line + 1, original: text.slice(start, end), replacement };
    });
  const plan: Plan = { files: {}, sources: {}, sqlMutants: {} };
  for (const { name, content } of instrumented.files) plan.sources[join(root, name)] = content;
  const babel = createRequire(join(folder, "package.json"))("@babel/core");
  for (const { name, content } of read) {
    const tree = babel.parseSync(content, {
      configFile: false,
      babelrc: false,
      parserOpts: { plugins: ["typescript"] },
    });
    babel.traverse(tree, {
      TaggedTemplateExpression(path: Path) {
        if (!path.get("tag").isIdentifier({ name: "sql" })) return;
        const strings = path.node.quasi.quasis.map(({ value }) => value.cooked);
        // Two templates with the same text share their mutants: the tag does not know which of them calls it.
        const key = strings.join("?");
        if (plan.sqlMutants[key]) return;
        const text = strings.reduce((all, part, index) => `${all}$${index - 1}${part}`);
        const asWritten = (part: string) =>
          part.replaceAll(/\$(\d+)/g, (_, index) => {
            const { start, end } = path.node.quasi.expressions[index] ?? { start: 0, end: 0 };
            return `\${${content.slice(start, end)}}`;
          });
        plan.sqlMutants[key] = sqlMutants(text).map((mutant, index) => {
          const id = `${name}:${path.node.start}:${index}`;
          const [original, replacement] = [asWritten(mutant.original), asWritten(mutant.replacement)];
          const before = content.slice(0, path.node.start) + asWritten(text.slice(0, mutant.at));
          mutants.push({ id, file: name, line: before.split("\n").length, original, replacement });
          const values = [...mutant.text.matchAll(/\$(\d+)/g)].map((placeholder) => Number(placeholder[1]));
          return { id, strings: mutant.text.split(/\$\d+/), values };
        });
      },
    });
  }
  return { mutants, plan };
}
