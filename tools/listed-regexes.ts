/** A regular expression that needs more than its source to be checked. Its file and its pattern must be exactly these. */
export interface Listed {
  file: string;
  pattern: string;
  /** A pattern that the program builds where its pattern has `{{…}}`. */
  built?: string;
  /** Why a pattern without a proof of linear time does no harm. */
  bound?: string;
}

const OURS = "It reads only guides of this repository.";

export const LISTED: readonly Listed[] = [
  { file: "kit/src/postgres/apply-migration.ts", pattern: "\\b{{name}}\\b", built: "\\bshipments_account_id\\b" },
  {
    file: "kit/src/postgres/outage.ts",
    pattern: "^E(?!RR_)[A-Z_]+$",
    bound: "It reads the code of an error, which Node or the driver has chosen, in one attempt from the start.",
  },
  {
    file: "kit/src/process/log.ts",
    pattern: '{{REDACTIONS.map(({ sign }) => sign).join("|")}}',
    built: "whsec_|service_(?:test|live)_|authorization|bearer|://",
  },
  {
    file: "kit/src/postal/address-lines.ts",
    pattern: "[^ ,\ue000-\ue006]+(?=\ue006)",
    bound: "It reads the library's layout of an address, where one character stands for each field.",
  },
  {
    file: "services/carrier/src/label/letters/letters.ts",
    pattern: "(?<=\\p{M}{4})\\p{M}+",
    bound: "A field of an address has at most 200 characters, and each attempt takes all marks that it reads.",
  },
  {
    file: "services/carrier/src/label/letters/standard-font.ts",
    pattern: '[^\\x20-\\x7e\\xa0-\\xff{{FROM_0X80.replaceAll("\\ufffd", "")}}]',
    built: "[^\\x20-\\x7e\\xa0-\\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]",
  },
  {
    file: "gateway/src/api/middleware/store-request.ts",
    pattern: "^\\/api\\/v1\\/\\w+\\/((?:ord|shp|lbl|whk)_[a-z2-7]{26}|TEST[0-9A-Z]{1,60})(?:\\/|$)",
    bound: "A request's head has at most 16 KiB, and there is one attempt from the start, whose parts end at slashes.",
  },
  {
    file: "site/src/assets/find-sections.js",
    pattern: "[a-z0-9]+(?:_[a-z0-9]+)+",
    bound: "It reads guides of this repository, and in a browser only what its reader searches for.",
  },
  {
    file: "site/src/assets/find-sections.js",
    pattern: "(?<=[.!?]) +(?=\\p{Lu}|`|“)",
    bound: "It reads guides of this repository, and an attempt begins only after the end of a sentence.",
  },
  {
    file: "services/portal/src/mail/host-name.ts",
    pattern: "^[\\p{Script={{script}}}\\p{Script=Common}\\p{Script=Inherited}]*$",
    built: "^[\\p{Script=Thai}\\p{Script=Common}\\p{Script=Inherited}]*$",
  },
  { file: "site/src/guides/markdown-twin.ts", pattern: "\\[((?:`[^`]*`|[^\\]`])*)\\]\\(([^)\\s]+)\\)", bound: OURS },
  { file: "site/src/guides/guide-page.tsx", pattern: '<a href="\\/developers[^"]*">(.*?)<\\/a>', bound: OURS },
  {
    file: "api/src/input/lost-numbers.ts",
    pattern: '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[^\\s,:"[\\]{}]+|[[\\]{}]',
    bound: "It reads only valid JSON, in which every string ends, so every attempt at one succeeds.",
  },
  {
    file: "api/src/input/lost-numbers.ts",
    pattern: "(?:^|[\\s,:[])-?(?:\\d{16}|[\\d.]{300}|[\\d.]+[eE])",
    bound: "A body has at most 64 KiB, and attempts begin behind separators, so none reads what another has read.",
  },
  {
    file: "conformance/src/checks/record-fields.ts",
    pattern: '(?<![\\w.]){{name.replace(".", "\\\\.")}}(?![\\w])',
    built: "(?<![\\w.])to\\.street1(?![\\w])",
  },
  {
    file: "conformance/src/coverage.ts",
    pattern: '(?<=[.!?])\\s+(?=[A-Z`"])',
    bound: "It reads only the specification.",
  },
  {
    file: "tools/check-regexes.ts",
    pattern: "\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|.",
    bound: "It reads only patterns of this repository, in which every class ends.",
  },
];
