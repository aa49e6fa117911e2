import { visible } from "../input/visible.js";
import { SITE_NAME } from "../site/site-header.js";
import type { Mail } from "./deliver.js";
import type { Letter } from "./letter.js";
import { letterHtml } from "./letter-html.js";

// Names that customers chose can neither begin a new line nor change the direction of the text around them.
const oneLine = (text: string) => visible(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "));

/** The letter to one person: the same words as plain text and as HTML, without anything that is loaded from elsewhere. */
export function mailOf(to: string, letter: Letter): Mail {
  const said: Letter = {
    subject: oneLine(letter.subject),
    before: letter.before.map(oneLine),
    links: letter.links.map(({ words, url }) => ({ words: oneLine(words), url })),
    after: letter.after.map(oneLine),
  };
  const links = said.links.map(({ words, url }) => `${words}:\n${url}`);
  const text = [SITE_NAME, ...said.before, ...links, ...said.after].join("\n\n");
  return { to, subject: said.subject, text: `${text}\n`, html: letterHtml(SITE_NAME, said) };
}
