// The relative paths are the same from `src` and from `dist`.
const FOLDER = new URL("../../assets/", import.meta.url);

/** The module with which browsers search the index, and whose options also create it. */
export const finderModule = new URL("./find-sections.js", import.meta.url);

/** The URL of a style sheet, script or picture of the documentation site. Other pages use some of them, too. */
export function siteAsset(name: string): URL {
  return new URL(name, FOLDER);
}
