import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { loadAsset } from "@shipping/kit/http/send-document";
import { finderModule, siteAsset } from "../assets/site-asset.js";
import type { Site } from "./site-header.js";

/** The facts about an installation that pages of the documentation depend on. */
export interface DocsSite extends Site {
  /** The URL of the search index. */
  searchIndex: string;
  /** The URL of this installation, without a slash at its end. */
  origin: string;
}

/** The page of all headings, to which the form leads. */
export const SEARCH_PATH = "/docs/search";

// The package has only its build for Node among its exports.
const require = createRequire(import.meta.url);
const ENGINE = new URL("../es/index.js", pathToFileURL(require.resolve("minisearch")));

const script = loadAsset("/docs/search-field.js", siteAsset("search-field.js"));
const finder = loadAsset("/docs/find-sections.js", finderModule);
const engine = loadAsset("/docs/minisearch.js", ENGINE);

export const searchAssets = [script, finder, engine];

/** Loads the script that searches as the reader types. */
export function SearchScript() {
  return <script type="module" src={script.href} />;
}

/** The search of the documentation. Without the script, or without `index`, the URL of an index, it leads to the page of all headings. */
export function SearchForm({ index }: { index?: string | undefined }) {
  return (
    <search>
      <form
        action={SEARCH_PATH}
        {...(index && { "data-index": index, "data-engine": engine.href, "data-finder": finder.href })}
      >
        <input type="search" name="q" placeholder="Search the docs" aria-label="Search the docs" />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
