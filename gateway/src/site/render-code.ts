import { h } from "preact";
import { render } from "preact-render-to-string";
import { type Code, CodeExample, CodeTabs } from "./code-example.js";

/** Blocks of code as HTML: one alone, or several as one example. */
export function renderCode(blocks: readonly Code[]): string {
  const [first, second] = blocks;
  if (!first) return "";
  return `${second ? render(h(CodeTabs, { blocks })) : render(h(CodeExample, first))}\n`;
}
