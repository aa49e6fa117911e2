import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLabel } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";

const run = promisify(execFile);
const area = useArea();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-merged-"));
  await run("perl", ["-MPDF::Reuse", "-MText::PDF::File", "-e", "1"]).catch(() => {
    throw new Error(
      "Perl's PDF::Reuse or Text::PDF is missing. Run apt-get install libpdf-reuse-perl libtext-pdf-perl.",
    );
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// Like FPDI and what is built on it, these know only PDFs with a table of objects as text, and no object streams.
const READERS = {
  // Debian 12 has 0.39. It puts all pages into a new file.
  "PDF::Reuse": 'use PDF::Reuse; prFile("out.pdf"); my $count = prDoc($ARGV[0]); prEnd(); print $count',
  // Debian 12 has 0.31.
  "Text::PDF":
    "use Text::PDF::File; my $file = Text::PDF::File->open($ARGV[0], 0); print $file->{Root}->realise->{Pages}->realise->{Count}->val",
};

test.each(Object.entries(READERS))("%s reads merged labels as it reads one", async (_name, program) => {
  const { visitor, api } = await newCustomer(area);
  const ids = [];
  for (const reference of ["a", "b", "c"]) ids.push((await createLabel(api, { reference })).id);
  const merged = await fetch(
    `${area.origin()}/developers/sandbox/labels/merged?${ids.map((id) => `label=${id}`).join("&")}`,
    { headers: { cookie: visitor.cookies() } },
  );
  const files = { 1: (await api.get(`/labels/${ids[0]}/file`)).bytes, 3: Buffer.from(await merged.arrayBuffer()) };
  for (const [pages, bytes] of Object.entries(files)) {
    await writeFile(join(folder, "label.pdf"), bytes);
    const { stdout } = await run("perl", ["-e", program, "label.pdf"], { cwd: folder });
    expect(stdout.trim()).toBe(pages);
  }
});
