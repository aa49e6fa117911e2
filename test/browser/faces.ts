import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const { resolve } = createRequire(import.meta.filename);

/** The families that pages are tried with: one of the widest that people have, which pages get unless a test names another, and one of the narrowest. */
export const FACES = { wide: "DejaVu Sans", narrow: "PT Sans Narrow" } as const;

const FILES = [
  "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSansMono-Bold.ttf",
  "@expo-google-fonts/pt-sans-narrow/400Regular/PTSansNarrow_400Regular.ttf",
  "@expo-google-fonts/pt-sans-narrow/700Bold/PTSansNarrow_700Bold.ttf",
];

// The last name of every list of families is DejaVu Sans, which `sans-serif` and `system-ui` come to as well.
const configurationFor = (folder: string) => `<?xml version="1.0"?>
<fontconfig>
  <dir>${folder}</dir>
  <cachedir>${folder}</cachedir>
  <match>
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="assign"><string>DejaVu Sans Mono</string></edit>
  </match>
  <match>
    <edit name="family" mode="append_last"><string>DejaVu Sans</string></edit>
  </match>
</fontconfig>
`;

/**
 * Puts these faces, and a configuration of fontconfig that knows no others, into a new folder, so that no machine's own fonts decide how wide a page is.
 * Returns the path of the configuration, for `FONTCONFIG_FILE`.
 */
export function installFaces(): string {
  const folder = mkdtempSync(join(tmpdir(), "shipping-faces-"));
  for (const file of FILES) copyFileSync(resolve(file), join(folder, basename(file)));
  const configuration = join(folder, "fonts.conf");
  writeFileSync(configuration, configurationFor(folder));
  return configuration;
}
