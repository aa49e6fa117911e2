import { COLLECTION_PATH, collectionText } from "@shipping/api/openapi/collection";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { createDocument, type Document, FOR_ALL_ORIGINS, sendDocument } from "@shipping/kit/http/send-document";
import type { IRouter } from "express";

/**
 * Serves the documents about the API that programs read, and returns their paths. `origin` is empty if this installation does not know its own URL.
 */
export function serveDocuments(router: IRouter, origin: { known: () => string; assumed: () => string }): string[] {
  const headers = { ...FOR_ALL_ORIGINS, "Cache-Control": "no-store" };
  const openApi = (version: "3.0" | "3.1") =>
    createDocument("application/json", openApiText(origin.known(), version), headers);
  const served: Readonly<Record<string, () => Document>> = {
    [`${BASE_PATH}/openapi.json`]: () => openApi("3.1"),
    [`${BASE_PATH}/openapi-3.0.json`]: () => openApi("3.0"),
    [COLLECTION_PATH]: () =>
      createDocument("application/json", collectionText(origin.assumed()), {
        ...headers,
        "Content-Disposition": 'attachment; filename="shipping.postman_collection.json"',
      }),
  };
  for (const [path, make] of Object.entries(served)) {
    let made: Document | undefined;
    router.get(path, (req, res) => {
      made ??= make();
      sendDocument(req, res, made);
    });
  }
  return Object.keys(served);
}
