import { EXAMPLE_ORIGIN } from "@shipping/api/guides";
import { escapeXml } from "./crawlers.js";
import type { Page } from "./guides/open-guide.js";
import { renderGuide } from "./guides/render-guide.js";
import { FEED_PATH } from "./layout/page-facts.js";

const MAX_ENTRIES = 20;

/** The newest entries of the changelog as a feed (RFC 4287). Each heading of the changelog is a date, and its entry begins at midnight UTC. */
export function changelogFeed({ guide, markdown }: Page, origin: string): string {
  const page = `${origin}/docs/${guide.slug}`;
  const entries = markdown
    .split(/^## (?=\d{4}-\d\d-\d\d$)/m)
    .slice(1, MAX_ENTRIES + 1)
    .map((section) => ({ date: section.slice(0, 10), text: section.slice(10) }));
  const written = entries.map(({ date, text }) => {
    const html = renderGuide(guide, text).html.replaceAll(EXAMPLE_ORIGIN, origin).replaceAll('="/', `="${origin}/`);
    return `<entry>
<title>Changes of ${date}</title>
<id>${page}#${date}</id>
<link href="${page}#${date}"/>
<updated>${date}T00:00:00Z</updated>
<content type="html">${escapeXml(html)}</content>
</entry>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>Changes to the Shipping Integration API</title>
<id>${page}</id>
<link rel="alternate" href="${page}"/>
<link rel="self" href="${origin}${FEED_PATH}"/>
<author><name>Shipping Platform</name></author>
<updated>${entries[0]?.date ?? "1970-01-01"}T00:00:00Z</updated>
${written.join("\n")}
</feed>
`;
}
