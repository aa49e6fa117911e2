import { dirname, join, relative, sep } from "node:path";
import { PARTS } from "@shipping/proto/parts";
import { rooms } from "./rooms.js";
import { read, root, sources } from "./sources.js";

const production = sources.filter(({ path }) => !/\.test\.ts$|\/testing\/|^test\/|\.mjs$/.test(path));

/** The modules that a file imports. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:^|\n)(?:import|export)[^;]*?from "([^"]+)"|import\("([^"]+)"\)/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
}

describe("imports", () => {
  const allowed: Record<string, readonly string[]> = {
    proto: [],
    kit: ["kit", "proto"],
    ...Object.fromEntries(Object.values(PARTS).map((part) => [part.folder, ["kit", "proto"]])),
    "services/portal": ["api", "site", "kit", "proto"],
    api: ["kit", "proto"],
    site: ["api", "kit", "proto"],
    gateway: ["api", "kit", "proto"],
    // The operator's commands work by RPC alone.
    cli: ["api", "kit", "proto"],
    // It judges any platform from outside, so it imports none of ours.
    conformance: [],
    // It gets the API from its OpenAPI document.
    mcp: [],
    "services/mcp": ["api", "kit", "proto"],
  };

  test.each(Object.entries(allowed))("of ours, %s imports %j and nothing else, never sideways", (folder, may) => {
    const foreign = sources
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .flatMap(({ path, text }) => importsOf(text).map((target) => ({ path, target })))
      .filter(({ target }) => target.startsWith("@shipping/") && !may.includes(target.split("/")[1] ?? ""));
    expect(foreign).toEqual([]);
  });

  test.each([...Object.keys(allowed), "deploy/local", "client", "test"])(
    "of %s name packages in its package.json, or tools of all tests in that of the root",
    (folder) => {
      const named = ["package.json", `${folder}/package.json`].flatMap((path) => {
        const { name, dependencies, devDependencies } = JSON.parse(read(path));
        return [name, ...Object.keys({ ...dependencies, ...devDependencies })];
      });
      const imported = sources
        // The programs of test/openapi/generators run elsewhere, with packages that test/openapi/generators/generators.ts names.
        .filter(({ path }) => path.startsWith(`${folder}/`) && !path.startsWith("test/openapi/generators/programs/"))
        .flatMap(({ text }) => importsOf(text))
        .filter((target) => !/^(\.|node:)/.test(target))
        .map((target) => target.split("/", target.startsWith("@") ? 2 : 1).join("/"));
      expect([...new Set(imported)].filter((target) => !named.includes(target))).toEqual([]);
    },
  );

  test("the gateway has no package for agents, Markdown, highlighting or commands", () => {
    const named = Object.keys(JSON.parse(read("gateway/package.json")).dependencies);
    expect(named.filter((name) => !name.startsWith("@shipping/")).sort()).toEqual([
      "@bufbuild/protobuf",
      "@connectrpc/connect",
      "@connectrpc/connect-node",
      "@prisma/adapter-pg",
      "@prisma/client",
      "express",
      "sql-template-tag",
      "zod",
    ]);
  });

  test("the commands have no database", () => {
    const packages = Object.keys(JSON.parse(read("cli/package.json")).dependencies);
    expect(packages.filter((name) => /^pg|prisma|sql/.test(name))).toEqual([]);
    const commands = sources.filter(({ path }) => path.startsWith("cli/"));
    expect(commands.filter(({ text }) => /DATABASE_URL|kit\/postgres/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("the client imports nothing but its own files", () => {
    const foreign = production
      .filter(({ path }) => path.startsWith("client/"))
      .flatMap(({ path, text }) => importsOf(text).map((target) => ({ path, target })))
      .filter(({ target }) => !target.startsWith("./"));
    expect(foreign).toEqual([]);
  });

  test("no file reaches into another package by a relative path", () => {
    const packageOf = (path: string) => /^(services\/\w+|deploy\/\w+|[^/]+)/.exec(path)?.[0];
    const reaching = sources
      .filter(({ path }) => /\.tsx?$/.test(path))
      .flatMap(({ path, text }) => importsOf(text).map((target) => ({ path, target })))
      .filter(({ path, target }) => {
        if (!target.startsWith(".")) return false;
        return packageOf(relative(root, join(root, path, "..", target))) !== packageOf(path);
      });
    expect(reaching).toEqual([]);
  });
});

describe("rooms", () => {
  const roomOf = (root: string, path: string) => relative(root, dirname(path)).split(sep).join("/") || ".";
  const filesOf = (root: string) => production.filter(({ path }) => path.startsWith(`${root}/`) && /tsx?$/.test(path));

  // The imports of the runtime's tests determine where they belong. Those of a part may start all of it.
  const testsOf = (root: string) =>
    root === "kit/src" ? sources.filter(({ path }) => /^kit\/src\/(?!testing\/).*\.test\.ts$/.test(path)) : [];

  test.each(Object.entries(rooms))("in %s, arrows point down: %j", (root, order) => {
    const upwards = [...filesOf(root), ...testsOf(root)].flatMap(({ path, text }) =>
      importsOf(text)
        .filter((target) => target.startsWith(".") && !/\/(gen|testing)\//.test(target))
        .map((target) => [roomOf(root, path), roomOf(root, join(dirname(path), target)), path])
        .filter(([from = "", to = ""]) => from !== to && order.indexOf(from) >= order.indexOf(to)),
    );
    expect(upwards).toEqual([]);
  });

  test.each(Object.entries(rooms))("in %s, each room is listed", (root, order) => {
    const folders = new Set(filesOf(root).map(({ path }) => roomOf(root, path)));
    expect([...folders].sort()).toEqual([...order].sort());
  });

  test("each folder has at most fifteen files beside tests", () => {
    const sizes = new Map<string, number>();
    for (const { path } of production) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
    expect([...sizes].filter(([, files]) => files > 15)).toEqual([]);
  });
});

test("OpenTelemetry is loaded by the one module that is loaded only where traces are wanted", () => {
  const importers = production.filter(({ text }) => importsOf(text).some((to) => to.startsWith("@opentelemetry/")));
  expect(importers.map(({ path }) => path)).toEqual(["kit/src/process/tracing-sdk.ts"]);
});

describe("files", () => {
  test("no source file is longer than 250 lines", () => {
    const long = sources.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
    expect(long.filter(({ lines }) => lines > 250)).toEqual([]);
  });

  test("names are kebab-case, and none is utils, helpers, common, manager or index", () => {
    const odd = sources.filter(({ path }) => {
      const name = path.split("/").at(-1) ?? "";
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config|\.check)?\.(tsx?|mjs)$/.test(name) ||
        /utils|helper|common|manager|^index\./.test(name)
      );
    });
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  test("no comment of production code begins with a word that leaves out its subject", () => {
    const HEADLESS = /(?:\/\*\*?\s+(?:\* )?|(?<!^\s*\/\/.*\n\s*)\/\/ )(?:What|Of|Its|Whose|None|Nobody|Nothing)\b.*/gm;
    const found = production.flatMap(({ path, text }) =>
      [...text.matchAll(HEADLESS)].map(([comment]) => ({ path, comment })),
    );
    expect(found).toEqual([]);
  });

  test("only config.ts reads the environment", () => {
    const readers = production.filter(({ path, text }) => text.includes("process.env") && !path.endsWith("/config.ts"));
    expect(readers.map(({ path }) => path)).toEqual([]);
  });

  test("only what assembles a process or speaks of the present reads the wall clock, which may be set at any moment", () => {
    const parts = production.filter(({ path }) => /^(kit|gateway|services)\//.test(path) && !path.endsWith("/main.ts"));
    const readers = parts.filter(({ text }) => /\bDate\.now\(\)|\bnew Date\(\)/.test(text)).map(({ path }) => path);
    expect(readers.sort()).toEqual([
      // Exceptions: the header `Date`, a file name, and a comparison with the database's clock.
      "kit/src/http/server/refuse-connection.ts",
      "kit/src/postgres/clock.ts",
      "services/portal/src/mail/deliver.ts",
    ]);
  });

  test("no test or check is switched off, silenced or postponed", () => {
    const marks = [
      /\bTO[D]O\b/,
      /FIX[M]E/,
      /@ts-(ignore|nocheck)/,
      /\bas any\b[^\w\s]/,
      // `skip` of protobuf's reader skips a field.
      /(?<!\breader)\.(only|skip)\b/,
      /\bx(test|it|describe)\(/,
    ];
    const found = sources.flatMap(({ path, text }) =>
      marks.filter((mark) => mark.test(text)).map(({ source }) => ({ path, mark: source })),
    );
    expect(found).toEqual([]);
  });

  test("kit knows no business noun", () => {
    const nouns = /(?<![a-z])(order|shipment|label|parcel|carrier|tracking|subscription|webhook|rate)s?(?![a-z])/i;
    const found = production
      .filter(({ path }) => path.startsWith("kit/"))
      .flatMap(({ path, text }) =>
        codeLines(text)
          .filter((line) => nouns.test(line))
          .map((line) => ({ path, line })),
      );
    expect(found).toEqual([]);
  });
});

// Comments, SQL's own ORDER BY, and codes of errors may contain these words.
function codeLines(text: string): string[] {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .split("\n")
    .map((line) => line.replace(/\/\/.*$/, "").replace(/ORDER BY|rate_limited/g, ""));
}

describe("programs", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const started = Object.values(scripts).flatMap((script) => {
    const [, folder, file] = /node (\S+)\/dist\/(\S+)\.js/.exec(script) ?? [];
    // The conformance suite is independent of our code.
    return folder && folder !== "conformance" ? [`${folder}/src/${file}.ts`] : [];
  });
  const parts = production
    .map(({ path }) => path)
    .filter((path) => /^(gateway|services\/\w+)\/src\/main\.ts$/.test(path));

  test.each([...started, ...parts, "kit/src/service/apply-migrations.ts"])(
    "%s looks at Node's version before all else",
    (path) => {
      expect(read(path)).toMatch(/^import "(@shipping\/kit|\.\.)\/process\/require-node(\.js)?";\n/);
    },
  );
});
