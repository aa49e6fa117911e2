import { readFileSync } from "node:fs";
import { BASE_PATH } from "../operations/operation.js";

export const COLLECTION_PATH = `${BASE_PATH}/postman.json`;

/** The placeholder for an installation's URL in the collection that `npm run generate` makes. */
export const SOME_ORIGIN = "https://installation.invalid";

/** The API as a collection for Postman, Bruno and Insomnia, with the URL of this installation. */
export function collectionText(origin: string): string {
  return readFileSync(new URL("../../assets/gen/postman.json", import.meta.url), "utf8").replaceAll(
    SOME_ORIGIN,
    origin,
  );
}
