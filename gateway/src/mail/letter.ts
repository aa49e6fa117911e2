import { visible } from "../input/text.js";
import { SITE_NAME } from "../site/site-header.js";
import type { Mail } from "./deliver.js";
import { letterHtml } from "./letter-html.js";

export interface Letter {
  subject: string;
  before: readonly string[];
  /** A quiet link is no button. */
  links: readonly { words: string; url: string; quiet?: true }[];
  after: readonly string[];
}

// Names come from customers: they must not start a new line or change the text direction around them.
const oneLine = (text: string) => visible(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "));

/** Formats a letter as plain text and as HTML with the same words. The HTML loads nothing from elsewhere. */
export function toMail(to: string, letter: Letter): Mail {
  const clean: Letter = {
    subject: oneLine(letter.subject),
    before: letter.before.map(oneLine),
    links: letter.links.map((link) => ({ ...link, words: oneLine(link.words) })),
    after: letter.after.map(oneLine),
  };
  const links = clean.links.map(({ words, url }) => `${words}:\n${url}`);
  const text = [SITE_NAME, ...clean.before, ...links, ...clean.after].join("\n\n");
  return { to, subject: clean.subject, text: `${text}\n`, html: letterHtml(SITE_NAME, clean) };
}
