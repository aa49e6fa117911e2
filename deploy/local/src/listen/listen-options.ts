import { Command, InvalidArgumentError } from "commander";
import { examples, wholeNumber } from "../option-values.js";

/** The options of `npm run listen`. */
export interface ListenOptions {
  /** Where it listens; 0 takes a free port. */
  port: number;
  /** Signatures by any of these are good. */
  secrets: string[];
  /** Whether it makes a subscription of its own. */
  subscribe: boolean;
}

/** Reads the command line. One that it cannot understand ends the process, with a sentence. */
export function listenOptions(args: readonly string[], command = new Command("npm run listen --")): ListenOptions {
  const secrets: string[] = [];
  command
    .description("Receives webhook events on this machine, verifies and prints them.")
    .option("--subscribe", "makes a subscription of its own, and deletes it at the end", false)
    .option(
      "--secret <secret>",
      "the secret of a subscription that you have made; several times if need be",
      (text) => {
        secrets.push(wholeSecret(text));
      },
    )
    .option("--port <n>", "where it listens; 0 takes a free port", wholeNumber(0, 65_535), 9090)
    .addHelpText(
      "after",
      examples(
        "npm run listen -- --subscribe",
        "npm run listen -- --port 9091 --secret whsec_MfKQ9r8GKYqYTwjUPD8ILPZIo2LaLaSw",
      ),
    )
    .parse(args, { from: "user" });
  const { port, subscribe } = command.opts<ListenOptions>();
  if (secrets.length === 0 && !subscribe) {
    command.error(
      "error: say --subscribe, or --secret whsec_… for a subscription that you have made; npm hands on what stands behind --, as in npm run listen -- --subscribe",
    );
  }
  return { port, secrets, subscribe };
}

function wholeSecret(text: string): string {
  if (text.startsWith("whsec_")) return text;
  throw new InvalidArgumentError("It takes a subscription's whole secret, which begins with whsec_.");
}
