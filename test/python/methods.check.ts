import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { pathWith } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { PYTHON_ENV } from "../docs/python.js";
import { findPython } from "./virtual-environment.js";

const run = promisify(execFile);
const readme = readFileSync(join(import.meta.dirname, "../../client-python/README.md"), "utf8");

describe("one method for each operation", () => {
  interface Sent {
    /** A method in the README's notation. */
    method: string;
    returns: string;
    request: string;
    body: unknown;
    options: object;
    doc: string | null;
  }
  let sent: Sent[];
  beforeAll(async () => {
    const env = { ...process.env, ...PYTHON_ENV };
    const { stdout } = await run(findPython(), [join(import.meta.dirname, "methods.py")], { env });
    sent = JSON.parse(stdout);
  });

  test.each(operations)("$method $path, with its scope", (route) => {
    const found = sent.filter(({ request }) => request === `${route.method} ${pathWith(route, "an-id")}`);
    expect(found).toHaveLength(1);
    expect(found[0]?.doc).toContain(`Scope \`${route.scope}\``);
    expect(found[0]?.options).toEqual({ retries: 0 });
    const [body] = [found[0]?.body];
    if (route.method !== "POST") expect(body).toBeNull();
    else expect(body).toEqual(route.id ? {} : "an-id");
  });

  test("and no other, each in the tables of the README", () => {
    expect(sent).toHaveLength(operations.length);
    const cells = [...readme.matchAll(/^\| `(\w+\.\w+\(.*)$/gm)].map(([line]) => line.match(/(?<=`)[^`|]+(?=`)/g));
    const expected = sent.map(({ method, request, returns }) => {
      const route = operations.find((one) => `${one.method} ${pathWith(one, "an-id")}` === request);
      return [method, `${route?.method} ${route?.path}`, route?.scope, returns];
    });
    expect(cells).toEqual(expected);
    const rows = [...readme.matchAll(/^\| `shipping\.(\w+)` +\| (.+?) +\|$/gm)];
    const listed = rows.flatMap(([, resource, names = ""]) =>
      names.split(", ").map((name) => `${resource}.${name.replaceAll("`", "")}`),
    );
    expect(listed).toEqual(sent.map(({ method }) => method.split("(")[0]));
  });
});
