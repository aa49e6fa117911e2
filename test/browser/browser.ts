import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { installFaces } from "./faces.js";

// Requests of a page to other hosts fail.
const LOOPBACK_ONLY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";
// Headless Chromium: pages look and behave the same, and take half the CPU.
const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";

/** The contexts without scripts. */
export const withoutScripts = new WeakSet<BrowserContext>();

/** Chromium while the tests of this file run. Each context is the browser of another person. It is closed after the test that opened it. */
export function useBrowser(): { open(options?: BrowserContextOptions): Promise<BrowserContext> } {
  let browser: Browser | undefined;
  let opened: BrowserContext[] = [];
  beforeAll(async () => {
    if (!existsSync(PROGRAM)) {
      throw new Error(
        `No Chromium at ${PROGRAM}: "apt-get install chromium-headless-shell" puts it there, CHROMIUM names another.`,
      );
    }
    // Playwright switches the back/forward cache off, which the tests are about.
    const ignoreDefaultArgs = ["--disable-back-forward-cache"];
    const env = { ...process.env, FONTCONFIG_FILE: installFaces() };
    browser = await chromium.launch({ executablePath: PROGRAM, args: [LOOPBACK_ONLY], ignoreDefaultArgs, env });
  });
  // Those that were opened before all tests stay open until the end.
  beforeEach(() => {
    opened = [];
  });
  afterEach(() => Promise.all(opened.map((context) => context.close())));
  afterAll(() => browser?.close());
  return {
    async open(options) {
      if (!browser) throw new Error("Chromium runs from beforeAll on.");
      const context = await browser.newContext(options);
      // On a busy machine, a page of a platform that has just started takes longer than the default of 30 seconds.
      context.setDefaultTimeout(60_000);
      if (options?.javaScriptEnabled === false) withoutScripts.add(context);
      opened.push(context);
      return context;
    },
  };
}
