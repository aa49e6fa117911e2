const INDENT = { ts: "  ", python: "    " };
const CONSTANTS = { ts: ["true", "false", "null"], python: ["True", "False", "None"] } as const;

/** A value of JSON as a program of that language writes it. */
export function codeLiteral(value: unknown, language: "ts" | "python", above = ""): string {
  const [yes, no, nothing] = CONSTANTS[language];
  if (value === true) return yes;
  if (value === false) return no;
  if (value === null) return nothing;
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => codeLiteral(item, language, above)).join(", ")}]`;
  const inner = above + INDENT[language];
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${nameIn(name, language)}: ${codeLiteral(member, language, inner)},\n`,
  );
  return members.length ? `{\n${members.join("")}${above}}` : "{}";
}

function nameIn(name: string, language: "ts" | "python"): string {
  return language === "ts" && /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
