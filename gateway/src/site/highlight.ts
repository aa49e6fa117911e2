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

/** Code as HTML: its parts in classes that `code.css` colours. In a language that is unknown, it is plain text. */
export function highlight(language: string, code: string): string {
  const known = Object.hasOwn(languages, language);
  return known ? highlighter.highlight(code, { language, ignoreIllegals: true }).value : escaped(code);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
