import type { PartDeclaration } from "./declaration.js";

interface TsConfig {
  references: { path: string }[];
}

/** A `tsconfig.json` that compiles every part. Its other references are written by hand. */
export function compilesParts(below: string) {
  return (text: string, parts: PartDeclaration[]): string => {
    const config = JSON.parse(text) as TsConfig;
    const own = parts.map(({ folder }) => `${below}${folder}`);
    const isPart = ({ path }: { path: string }) => own.includes(path);
    const isFormer = ({ path }: { path: string }) => /^(\.\.\/)*services\//.test(path) && !own.includes(path);
    const others = config.references.filter((one) => !isPart(one) && !isFormer(one));
    return JSON.stringify({ ...config, references: [...others, ...own.sort().map((path) => ({ path }))] });
  };
}

/** A `package.json` of a workspace that imports every part. Its other dependencies are written by hand. */
export function importsParts(field: "dependencies" | "devDependencies") {
  return (text: string, parts: PartDeclaration[]): string => {
    const manifest = JSON.parse(text);
    const own = parts.map(({ name }) => [`@shipping/${name}`, manifest.version]);
    const all = { ...manifest[field], ...Object.fromEntries(own) };
    const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
    return JSON.stringify({ ...manifest, [field]: sorted });
  };
}
