import { groups } from "@shipping/api/guides";
import { renderPage } from "./guides/layout.js";
import type { Page } from "./guides/open-guide.js";
import { type DocsSite, SEARCH_PATH } from "./layout/search-form.js";
import type { Resource } from "./reference/operations.js";
import { REFERENCE_PATH, toTitle } from "./reference/reference-layout.js";

interface Link {
  href: string;
  title: string;
}

/** A page with its headings, or a resource with its operations. */
interface Contents extends Link {
  links: readonly Link[];
}

/** The page of all headings, to which the search leads without a script. */
export function searchPage(site: DocsSite, pages: readonly Page[], resources: readonly Resource[]): string {
  return renderPage(site, {
    title: "Search",
    path: SEARCH_PATH,
    children: (
      <>
        <h1>Search</h1>
        <p>
          If your browser runs scripts, results appear below the search field as you type. Here are all pages with their
          headings.
        </p>
        {groups.map(({ name, guides }) => (
          <Group title={name} contents={pages.filter(({ guide }) => guides.includes(guide)).map(toContents)} />
        ))}
        <Group title="API reference" contents={resources.map(toOperations)} />
      </>
    ),
  });
}

function toContents({ guide, rendered }: Page): Contents {
  const href = `/docs/${guide.slug}`;
  return {
    href,
    title: guide.title,
    links: rendered.sections.map(({ id, title }) => ({ href: `${href}#${id}`, title })),
  };
}

function toOperations({ name, operations }: Resource): Contents {
  const links = operations.map(({ href, route }) => ({ href, title: route.summary }));
  return { href: `${REFERENCE_PATH}#${name}`, title: toTitle(name), links };
}

function Group({ title, contents }: { title: string; contents: readonly Contents[] }) {
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {contents.map(({ href, title, links }) => (
          <li>
            <a href={href}>{title}</a>
            <ul>
              {links.map((link) => (
                <li>
                  <a href={link.href}>{link.title}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </>
  );
}
