import type { PartDeclaration } from "./declaration.js";
import { withSection } from "./marked-section.js";

/** A Job that runs the operator's commands, with the URLs of all parts with a database in a release named `shipping`. */
export function operatorJob(text: string, parts: PartDeclaration[]): string {
  const lines = parts
    .filter(({ database }) => database)
    .map(({ name, ports }) => {
      return `            - { name: ${name.toUpperCase()}_URL, value: "https://shipping-${name}:${ports.rpc}" }\n`;
    });
  return withSection(text, "URLs", lines.join(""));
}
