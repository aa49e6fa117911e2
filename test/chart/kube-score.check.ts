import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { run, template } from "./rendered.js";

const kubeScore = execFileSync(join(import.meta.dirname, "get-tools.sh"), ["kube-score"], { encoding: "utf8" }).trim();

test.each(["production", "guarded", "replicated"])(
  "kube-score finds nothing critical with the values of %s.yaml",
  (name) => {
    // Tags are never moved, so a pull on every start would only make the registry a part of every start. The images have a user and a group,
    // and OpenShift gives its own.
    const ignored = ["container-image-pull-policy", "container-security-context-user-group-id"];
    const args = ["score", "--output-format", "ci", "--ignore-test", ignored.join(","), "-"];
    const { text } = run(kubeScore, args, template(name).text);
    expect(text).toContain("[OK]");
    expect(text.split("\n").filter((line) => line.startsWith("[CRITICAL]"))).toEqual([]);
  },
);
