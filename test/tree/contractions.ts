// What the release before still reads, writes or relies on.
const CONTRACTIONS = [
  // A nullable column is what old code still writes; the columns of a primary key may change their order.
  /\bDROP (?!NOT NULL\b|CONSTRAINT \w+_pkey, ADD PRIMARY KEY\b)/i,
  /(?<!_pkey, )\bADD PRIMARY KEY\b/i,
  // Those that are NOT VALID too: they refuse new rows.
  /\bADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN KEY|EXCLUDE)\b/i,
  /\bRENAME\b/i,
  /\bSET NOT NULL\b/i,
  /\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/i,
];

const ADDED = /\bADD (?:COLUMN )?(?:IF NOT EXISTS )?(\w+) ((?:[^,;()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)/gi;
const UNIQUE =
  /\bCREATE UNIQUE INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?(?:\w+ )?ON (?:ONLY )?(\w+)[^(;]*\(([^;]*)/gi;
const TRIGGERS = /\bCREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER \w+ [^;]*? ON (\w+)/gi;

/** Whether code of the release before may fail after a migration that gives no reason for it. */
export function contracts(text: string): boolean {
  if (text.startsWith("-- contract:")) return false;
  // What a function does, its migration does not.
  const code = text
    .replace(/--.*$/gm, "")
    .replace(/\bAS \$\$[\s\S]*?\$\$/g, "")
    .replace(/\s+/g, " ");
  const created = [...code.matchAll(/\bCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(
    ([, table]) => table,
  );
  const added = [...code.matchAll(ADDED)].map(([, name = "", definition = ""]) => ({ name, definition }));
  // Old code leaves a new column empty, and empty is never twice the same.
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
