import { visible } from "@shipping/api/input/text";
import { SITE_NAME } from "@shipping/site/layout/site-header";
import { render } from "preact-render-to-string";
import type { Mail } from "./deliver.js";

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
  return { to, subject: clean.subject, text: `${text}\n`, html: letterHtml(clean) };
}

const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px; font: 16px/1.5 system-ui, sans-serif; background: #fff; color: #1b1f24; }
main { max-width: 560px; margin: 0 auto; }
.product { font-weight: 600; }
.button { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #1652c8; color: #fff; text-decoration: none; font-weight: 600; }
.url, .after { font-size: 14px; color: #57606a; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #15181c; color: #e6e8eb; }
  .url, .after { color: #a6adb6; }
  a:not(.button) { color: #8fb4ff; }
}`;

function letterHtml({ subject, before, links, after }: Letter): string {
  const html = render(
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{subject}</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <main>
          <p class="product">{SITE_NAME}</p>
          {before.map((words) => (
            <p>{words}</p>
          ))}
          {links.map(({ words, url, quiet }) => (
            <>
              <p>
                <a class={quiet ? undefined : "button"} href={url}>
                  {words}
                </a>
              </p>
              <p class="url">
                <a href={url}>{url}</a>
              </p>
            </>
          ))}
          {after.map((words) => (
            <p class="after">{words}</p>
          ))}
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}
