import { answered, callOptions } from "../../service-clients/call-owner.js";
import { callerOfPage, type FileAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { requireId } from "../resources/find-resources.js";
import { drawPage } from "./draw-page.js";

// The version of the renderer: another one may draw the label differently.
const DRAWN_BY = "pdfium-2.1.13";

/** Shown where a label cannot be drawn. */
const NO_PICTURE = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="288" height="432" viewBox="0 0 288 432">
<rect width="288" height="432" fill="#f5f6f8"/>
<g font-family="sans-serif" font-size="15" fill="#1b1f27" text-anchor="middle">
<text x="144" y="206">This label cannot be displayed.</text><text x="144" y="230">Download the PDF instead.</text></g></svg>
`);

/** `GET …/labels/{id}/file`: the bytes of `GET /labels/{id}/file`, to keep. */
export async function downloadLabel(deps: PageDeps, request: PageRequest): Promise<FileAnswer> {
  const body = await labelFile(deps, request);
  return { content: async () => ({ type: "application/pdf", name: `label-${request.id}.pdf`, body }) };
}

/** `GET …/labels/{id}/picture`: its first page as PNG. A file that cannot be drawn has a picture that says so. */
export async function showPicture(deps: PageDeps, request: PageRequest): Promise<FileAnswer> {
  const pdf = await labelFile(deps, request);
  return {
    etag: `"${request.id}-${DRAWN_BY}"`,
    async content() {
      const drawn = await drawPage(pdf);
      return drawn ? { type: "image/png", body: drawn, kept: true } : { type: "image/svg+xml", body: NO_PICTURE };
    },
  };
}

async function labelFile(deps: PageDeps, request: PageRequest): Promise<Uint8Array> {
  requireId("lbl", request.id);
  const asked = { caller: callerOfPage(request), id: request.id };
  return (await answered(deps.clients.carrier.getLabelFile(asked, callOptions(request)))).pdf;
}
