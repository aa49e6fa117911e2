import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import typescript from "highlight.js/lib/languages/typescript";

const languages = { sh: bash, ts: typescript, js: typescript, json, http, python, go, ruby, php, java };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

export interface Code {
  /** As in the info string of a Markdown fence: `sh`, `ts`, `python`, `json`. */
  language: string;
  code: string;
  /** True for the output of the code above it. It has no copy button. */
  isOutput?: boolean;
  /** The heading, if it is not the name of the language. */
  caption?: string;
}

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sh: "Shell",
    ts: "TypeScript",
    js: "JavaScript",
    json: "JSON",
    python: "Python",
    go: "Go",
    ruby: "Ruby",
    php: "PHP",
    java: "Java",
    http: "HTTP",
  }),
);

export function CodeExample({ language, code, isOutput = false, caption }: Code) {
  const name = caption ?? (isOutput ? "Output" : (NAMES.get(language) ?? "Text"));
  return (
    <figure class={isOutput ? "code output" : "code"}>
      <figcaption>{name}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A box that scrolls has to be reachable by keyboard. */}
      <pre tabIndex={0}>
        {/* `highlight` escapes the code. */}
        <code dangerouslySetInnerHTML={{ __html: highlight(language, code) }} />
      </pre>
    </figure>
  );
}

/** One example in several languages. The script turns the panels into tabs. An output belongs to the code before it. */
export function CodeTabs({ blocks }: { blocks: readonly Code[] }) {
  const panels: { name: string; blocks: Code[] }[] = [];
  for (const block of blocks) {
    const name = getTabName(block);
    if (block.isOutput) panels.at(-1)?.blocks.push(block);
    else panels.push({ name, blocks: [{ caption: name, ...block }] });
  }
  return (
    <div class="code-tabs">
      {panels.map(({ name, blocks }) => (
        <div class="code-panel" data-language={name}>
          {blocks.map((block) => (
            <CodeExample {...block} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** The name of a tab, by which the reader's choice is remembered. The command that installs a client belongs to its language. */
function getTabName({ language, code }: Code): string {
  if (language !== "sh") return NAMES.get(language) ?? language;
  const installed = { npm: "TypeScript", pip: "Python" }[/^(npm|pip) install /.exec(code)?.[1] ?? ""];
  return installed ?? (code.includes("curl ") ? "curl" : "Shell");
}

/** Code as HTML with the classes of `code.css`. Unknown languages are plain text. */
function highlight(language: string, code: string): string {
  const known = Object.hasOwn(languages, language);
  return known ? highlighter.highlight(code, { language, ignoreIllegals: true }).value : escapeHtml(code);
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
