import { readPdf } from "@shipping/carrier/label/testing/read-pdf";
import { refusal } from "../platform/api-client.js";
import { createLabel, RECORD, usePlatform, voidLabel } from "./platform.js";

const platform = usePlatform();

describe("GET /labels/{id}/file", () => {
  test("200 with a PDF of 4 by 6 inches that says what it is, and whose it is", async () => {
    const api = await platform.sandbox();
    const label = await createLabel(api);
    const { status, headers, bytes } = await api.get(`/labels/${label.id}/file`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/pdf");
    expect(headers.get("content-length")).toBe(String(bytes.length));
    expect(headers.get("x-request-id")).toMatch(/\S/);
    expect(bytes.subarray(0, 5).toString()).toBe("%PDF-");
    expect(bytes.toString("latin1")).toMatch(/%%EOF\s*$/);

    const { pages, mediaBox, texts } = readPdf(bytes);
    expect([pages, mediaBox]).toEqual([1, "0 0 288 432"]);
    const written = texts.map(({ text }) => text).join("\n");
    expect(written).toMatch(/test label.*not valid for shipping/i);
    for (const text of [RECORD.reference, RECORD.to.name, RECORD.to.postal_code]) expect(written).toContain(text);
    expect(written.replaceAll(" ", "")).toContain(label.tracking_number);
  });

  test("200 at the label's download_path, which starts at the host's root", async () => {
    const api = await platform.sandbox();
    const { download_path } = await createLabel(api);
    const [root, path] = [download_path.slice(0, 7), download_path.slice(7)];
    expect([root, (await api.get(path)).status]).toEqual(["/api/v1", 200]);
  });

  test("200 with the whole file or 409 label_voided while the label is being voided", async () => {
    const api = await platform.sandbox();
    const { id } = await createLabel(api);
    const whole = await api.get(`/labels/${id}/file`);
    const download = () => api.get(`/labels/${id}/file`);
    const [, ...answers] = await Promise.all([voidLabel(api, id), ...Array.from({ length: 10 }, download)]);
    for (const answer of answers) {
      if (answer.status === 200) expect(answer.bytes.equals(whole.bytes)).toBe(true);
      else expect(refusal(answer)).toBe("409 label_voided");
    }
    expect(refusal(await download())).toBe("409 label_voided");
  });
});
