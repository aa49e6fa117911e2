import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// `try-tools.sh` is run by hand, so a sentence that has changed would be noticed late.
test("each sentence that explains what Schemathesis reports is in the specification or the contract", () => {
  const folder = join(import.meta.dirname, "../../conformance/spec");
  const documents = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const program = readFileSync(join(import.meta.dirname, "explained.py"), "utf8");
  const sentences = [...program.matchAll(/^ {4}"(.+)": (?:re\.compile|lambda)/gm)].map(([, sentence = ""]) => sentence);
  expect(sentences.length).toBeGreaterThan(5);
  expect(sentences.filter((sentence) => !documents.join("").includes(sentence))).toEqual([]);
});
