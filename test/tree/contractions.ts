import { contractionIn } from "@shipping/kit/postgres/releases/contractions";

// Changes that break the previous release, which still reads, writes or relies on the old form.
const CONTRACTIONS = [
  // Allowed: DROP NOT NULL, because old code still writes the column, and another order of a primary key's columns.
  /\bDROP (?!NOT NULL\b|CONSTRAINT \w+_pkey, ADD PRIMARY KEY\b)/i,
  /(?<!_pkey, )\bADD PRIMARY KEY\b/i,
  // Constraints that are NOT VALID, too: they refuse new rows.
  /\bADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN KEY|EXCLUDE)\b/i,
  /\bRENAME\b/i,
  /\bSET NOT NULL\b/i,
  /\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/i,
];

const ADDED = /\bADD (?:COLUMN )?(?:IF NOT EXISTS )?(\w+) ((?:[^,;()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)/gi;
const UNIQUE =
  /\bCREATE UNIQUE INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?(?:\w+ )?ON (?:ONLY )?(\w+)[^(;]*\(([^;]*)/gi;
const TRIGGERS = /\bCREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER \w+ [^;]*? ON (\w+)/gi;

/** Whether a migration whose heading does not say so may break code of the previous release. */
export function contracts(text: string): boolean {
  if (contractionIn({ name: "", script: text })) return false;
  // The body of a function does not run during its migration.
  const code = text
    .replace(/--.*$/gm, "")
    .replace(/\bAS \$\$[\s\S]*?\$\$/g, "")
    .replace(/\s+/g, " ");
  const created = [...code.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(
    ([, table]) => table,
  );
  const added = [...code.matchAll(ADDED)].map(([, name = "", definition = ""]) => ({ name, definition }));
  // Old code leaves a new column empty, and NULLs do not violate a unique index.
  const isNew = (column: string) => added.some(({ name }) => new RegExp(`\\b${name}\\b`).test(column));
  return (
    CONTRACTIONS.some((contraction) => contraction.test(code)) ||
    added.some(({ definition }) => isRequired(definition)) ||
    [...code.matchAll(UNIQUE)].some(([, table, columns = ""]) => !created.includes(table) && !isNew(columns)) ||
    [...code.matchAll(TRIGGERS)].some(([, table]) => !created.includes(table))
  );
}

function isRequired(definition: string): boolean {
  const outside = definition.replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, "");
  return /\bNOT NULL\b/i.test(outside) && !/\b(DEFAULT|GENERATED|\w*SERIAL)\b/i.test(outside);
}
