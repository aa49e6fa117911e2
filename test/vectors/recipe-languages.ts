import { spawnSync } from "node:child_process";

/** A language with a recipe in `docs/webhook-recipes.md`, and how to run its two files. Commands run in the folder that contains them. */
export interface Language {
  name: string;
  /** The language of its code blocks. */
  fence: string;
  /** Prints the version, if the language is installed. */
  version: Command;
  /** Our own files beside the recipe's: `run` reads a vector per line and prints `true` or `false`. */
  runners: readonly string[];
  build: readonly Command[];
  verify: Command;
  receive(port: number): Command;
  /** The function that compares in constant time. */
  comparison: string;
}

export type Command = readonly [program: string, ...args: string[]];

/** All six, in the order of the page. */
export const languages: readonly Language[] = [
  {
    name: "Node",
    fence: "js",
    version: [process.execPath, "--version"],
    runners: ["run.mjs"],
    build: [],
    verify: [process.execPath, "run.mjs"],
    receive: () => [process.execPath, "receiver.mjs"],
    comparison: "timingSafeEqual(",
  },
  {
    name: "Python",
    fence: "python",
    version: ["python3", "--version"],
    runners: ["run.py"],
    build: [],
    verify: ["python3", "run.py"],
    receive: () => ["python3", "receiver.py"],
    comparison: "hmac.compare_digest(",
  },
  {
    name: "Go",
    fence: "go",
    version: ["go", "version"],
    runners: ["run.go"],
    build: [
      ["go", "build", "-o", "verify", "verify.go", "run.go"],
      ["go", "build", "-o", "receiver", "receiver.go", "verify.go"],
    ],
    verify: ["./verify"],
    receive: () => ["./receiver"],
    comparison: "hmac.Equal(",
  },
  {
    name: "Ruby",
    fence: "ruby",
    version: ["ruby", "--version"],
    runners: ["run.rb", "serve.rb"],
    build: [],
    verify: ["ruby", "run.rb"],
    receive: () => ["ruby", "serve.rb"],
    comparison: "OpenSSL.fixed_length_secure_compare(",
  },
  {
    name: "PHP",
    fence: "php",
    version: ["php", "--version"],
    runners: ["run.php"],
    build: [],
    verify: ["php", "run.php"],
    receive: (port) => ["php", "-S", `127.0.0.1:${port}`, "webhook.php"],
    comparison: "hash_equals(",
  },
  {
    name: "Java",
    fence: "java",
    version: ["javac", "-version"],
    runners: ["Run.java"],
    build: [["javac", "WebhookSignature.java", "Receiver.java", "Run.java"]],
    verify: ["java", "-cp", ".", "Run"],
    receive: () => ["java", "-cp", ".", "Receiver"],
    comparison: "MessageDigest.isEqual(",
  },
];

/** The installed version of a language; undefined if it is not installed. */
export function versionHere({ version: [program, ...args] }: Language): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? /\d+(\.\d+)+/.exec(stdout)?.[0] : undefined;
}

/** The files of a language's recipe, exactly as printed: the comment at the top of each is its name. */
export function recipeFiles(page: string, { fence }: Pick<Language, "fence">): Map<string, string> {
  const blocks = page.matchAll(new RegExp(`^\`\`\`${fence} recipe tab\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return new Map(
    [...blocks].map(([, code = ""]) => [/^(?:<\?php\n)?(?:\/\/|#) ([\w.]+)$/m.exec(code)?.[1] ?? "", code]),
  );
}
