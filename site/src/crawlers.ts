/** Which pages a crawler may read: the documentation. The developer area asks for a session, and the API for a key. */
export function robotsText(origin: string): string {
  return `User-agent: *\nDisallow: /developers\nDisallow: /api/\nDisallow: /mcp\nSitemap: ${origin}/sitemap.xml\n`;
}

/** The pages of the site, for search engines (https://www.sitemaps.org/protocol.html). */
export function sitemap(origin: string, paths: readonly string[]): string {
  const urls = paths.map((path) => `<url><loc>${escapeXml(origin + path)}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("\n")}
</urlset>
`;
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
