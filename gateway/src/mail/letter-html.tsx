import { render } from "preact-render-to-string";
import type { Letter } from "./letter.js";

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

export function letterHtml(product: string, { subject, before, links, after }: Letter): string {
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
          <p class="product">{product}</p>
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
