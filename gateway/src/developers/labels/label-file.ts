import { answered, callOptions } from "../../owners/call-owner.js";
import { callerOf, type FileAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { requireId } from "../resources/find-resources.js";
import { drawPage } from "./draw-page.js";

// Of what draws it: another version of that may draw it otherwise.
const DRAWN_BY = "pdfium-2.1.13";

/** `GET …/labels/{id}/file`: the bytes of `GET /labels/{id}/file`, to keep. */
export async function downloadLabel(deps: PageDeps, request: PageRequest): Promise<FileAnswer> {
  const pdf = await labelFile(deps, request);
  return { file: { type: "application/pdf", name: `label-${request.id}.pdf`, body: async () => pdf } };
}

/** `GET …/labels/{id}/picture`: its first page as PNG. A file that cannot be drawn has a picture that says so. */
export async function showPicture(deps: PageDeps, request: PageRequest): Promise<FileAnswer> {
  const pdf = await labelFile(deps, request);
  const drawn = await drawPage(pdf);
  if (!drawn) return { file: { type: "image/svg+xml", body: async () => NO_PICTURE } };
  return { file: { type: "image/png", etag: `"${request.id}-${DRAWN_BY}"`, body: async () => drawn } };
}

async function labelFile(deps: PageDeps, request: PageRequest): Promise<Uint8Array> {
  requireId("lbl", request.id);
  const asked = { caller: callerOf(request), id: request.id };
  return (await answered(deps.clients.carrier.getLabelFile(asked, callOptions(request)))).pdf;
}
