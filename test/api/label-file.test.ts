import { refusal } from "../platform/api-client.js";
import { createLabel, usePlatform, voidLabel } from "./platform.js";

const platform = usePlatform();

describe("GET /labels/{id}/file", () => {
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
