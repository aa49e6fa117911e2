import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const { resolve } = createRequire(import.meta.filename);

/** The fonts that pages are tested with: one of the widest in common use, which is the default of a test, and one of the narrowest. */
export const FACES = { wide: "DejaVu Sans", narrow: "PT Sans Narrow" } as const;

const FILES = [
  "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf",
  "dejavu-fonts-ttf/ttf/DejaVuSansMono-Bold.ttf",
  "@expo-google-fonts/pt-sans-narrow/400Regular/PTSansNarrow_400Regular.ttf",
  "@expo-google-fonts/pt-sans-narrow/700Bold/PTSansNarrow_700Bold.ttf",
];

// Every list of font families ends with DejaVu Sans, to which `sans-serif` and `system-ui` also resolve.
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
 * Installs these fonts in a new folder, with a configuration of fontconfig that has no others, so that the machine's own fonts do not affect the
 * width of a page. Returns the path of the configuration, for `FONTCONFIG_FILE`.
 */
export function installFaces(): string {
  const folder = mkdtempSync(join(tmpdir(), "shipping-faces-"));
  for (const file of FILES) copyFileSync(resolve(file), join(folder, basename(file)));
  const configuration = join(folder, "fonts.conf");
  writeFileSync(configuration, configurationFor(folder));
  return configuration;
}
