/** A code block of a page and how it is treated. */
export interface Fence {
  /** The block's position, for messages. */
  line: number;
  /** `ts` of `ts receives`. */
  language: string;
  /** The words after the language, without `tab` and `next`. */
  mark: string;
  /** Whether it continues the previous block in its language: both are parts of one program. */
  isNext?: boolean;
  code: string;
}

/** The code blocks of a page from top to bottom, including those in lists. A block ends at a fence as long as its own. */
export function fencesOf(page: string): Fence[] {
  const found: Fence[] = [];
  let open: (Fence & { ticks: string; indent: string }) | undefined;
  for (const [index, text] of page.split("\n").entries()) {
    const [, indent = "", ticks = "", language = "", mark = ""] = /^( *)(`{3,})(\S*) *(.*)$/.exec(text) ?? [];
    if (!open && ticks) open = { line: index + 1, language, ...marksOf(mark), code: "", ticks, indent };
    else if (open && ticks === open.ticks && language === "") {
      const { ticks: _ticks, indent: _indent, ...fence } = open;
      found.push(fence);
      open = undefined;
    } else if (open) open.code += `${text.startsWith(open.indent) ? text.slice(open.indent.length) : text}\n`;
  }
  if (open) throw new Error(`The code block of line ${open.line} has no end.`);
  return found;
}

function marksOf(info: string): Pick<Fence, "mark" | "isNext"> {
  const marks = info.split(" ").filter((mark) => mark !== "" && mark !== "tab");
  const mark = marks.filter((one) => one !== "next").join(" ");
  return marks.includes("next") ? { mark, isNext: true } : { mark };
}

/** The programs of a page in a language: each block with the blocks that continue it. */
export function programsOf(fences: readonly Fence[], language: string): Fence[][] {
  const programs: Fence[][] = [];
  for (const fence of fences) {
    if (fence.language !== language || fence.mark === "output") continue;
    if (!fence.isNext) programs.push([fence]);
    else if (programs.length > 0) programs.at(-1)?.push(fence);
    else throw new Error(`The code block of line ${fence.line} has none before it to go on from.`);
  }
  return programs;
}

/** Whether the output is as the page says, where `…` stands for anything. JSON may be printed with other white space. */
export function isAsPrinted(printed: string, { language, code }: Fence): boolean {
  const [given, wanted] =
    language === "json"
      ? [JSON.stringify(JSON.parse(printed)).replace(/\s/g, ""), code.replace(/\s/g, "")]
      : [printed.replaceAll("\r\n", "\n").trim(), code.trim()];
  const pattern = wanted.split("…").map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pattern.join("[\\s\\S]*?")}$`).test(given);
}

export type Action =
  | "sh"
  | "sh fails"
  | "ts"
  | "ts receives"
  | "python"
  | "python receives"
  | "output"
  | "shown"
  | "recipe";

const ACTIONS: Readonly<Record<string, Action>> = {
  sh: "sh",
  "sh fails": "sh fails",
  ts: "ts",
  "ts receives": "ts receives",
  python: "python",
  "python receives": "python receives",
  "text output": "output",
  "json output": "output",
};

/** How a code block is treated. The tests of `test/vectors` execute each `recipe` and `library`. Throws for a block that no test executes. */
export function actionOf({ line, language, mark }: Fence): Action {
  if (mark === "shown" || mark === "recipe") return mark;
  if (mark === "library") return "recipe";
  const action = ACTIONS[`${language} ${mark}`.trim()];
  if (!action) throw new Error(`Nothing executes the code block of line ${line}: \`${language} ${mark}\`.`);
  return action;
}

/**
 * The statements of the installation guide that create and change databases: for each, those that run before and within the database of records.
 * The first are those of its loop over the parts. `…` stands for a password.
 */
export function databaseStatements(guide: string): string[][] {
  return fencesOf(guide)
    .map(({ code }) => /echo "\n(.*)\n *" \| psql/s.exec(code)?.[1] ?? code)
    .filter((code) => /^ *CREATE ROLE/.test(code))
    .map((code) =>
      code
        .replaceAll("$part", "records")
        .replaceAll("$password", "…")
        .split(/^-- then in .*\n/m),
    );
}
