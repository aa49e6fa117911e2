import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "@swc/core";
import { installPacked } from "../client/packed-client.js";

const run = promisify(execFile);
const modules = join(import.meta.dirname, "../../node_modules");

// Prepended to a snippet without imports of its own: the imports of earlier snippets.
const PRELUDE = `import { Shipping, ShippingError, webhooks } from "shipping-client";
void [ShippingError, webhooks];
const shipping = new Shipping();
`;

/** The snippet as a module of its own. */
export function moduleOf(code: string): string {
  return /^import /m.test(code) ? code : PRELUDE + code;
}

/** A folder with the packed client and the frameworks that snippets import. */
export async function prepareModules(folder: string): Promise<void> {
  await installPacked(folder);
  for (const name of ["express", "fastify", "koa", "@types"])
    await symlink(join(modules, name), join(folder, "node_modules", name));
}

/** The module without its types, as Node strips them. */
export async function stripped(code: string): Promise<string> {
  const options = { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, module: { type: "es6" } } as const;
  return (await transform(moduleOf(code), options)).code;
}

/** Checks the types of all snippets at once, because running them does not. Throws with the compiler's output. */
export async function checkTypes(folder: string, snippets: readonly string[]): Promise<void> {
  await mkdir(join(folder, "snippets"));
  const options = { strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true, types: ["node"] };
  const modern = { target: "es2023", module: "nodenext", moduleDetection: "force" };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...options, ...modern } }));
  for (const [index, code] of snippets.entries())
    await writeFile(join(folder, "snippets", `${index}.mts`), moduleOf(code));
  await run(process.execPath, [join(modules, ".bin/tsc"), "-p", folder]).catch(({ stdout }) => {
    throw new Error(`The snippets have type errors:\n${stdout}`);
  });
}
