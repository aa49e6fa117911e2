import { Command, InvalidArgumentError } from "commander";
import { examples, wholeNumber } from "../option-values.js";

export interface ListenOptions {
  /** The port to listen on; 0 selects a free one. */
  port: number;
  /** A signature with any of these secrets is valid. */
  secrets: string[];
  subscribe: boolean;
}

/** Parses the command line. If it is invalid, prints an error and exits. */
export function listenOptions(args: readonly string[], command = new Command("npm run listen --")): ListenOptions {
  const secrets: string[] = [];
  command
    .description("Receive webhook events on this machine, verify their signatures and print them.")
    .option("--subscribe", "create a subscription, and delete it on exit", false)
    .option("--secret <secret>", "the secret of an existing subscription; you can repeat this option", (text) => {
      secrets.push(parseSecret(text));
    })
    .option("--port <n>", "port to listen on; 0 picks a free port", wholeNumber(0, 65_535), 9090)
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
      "error: use --subscribe, or --secret whsec_… for an existing subscription. Put the options after --, as in npm run listen -- --subscribe",
    );
  }
  return { port, secrets, subscribe };
}

function parseSecret(text: string): string {
  if (text.startsWith("whsec_")) return text;
  throw new InvalidArgumentError("Give the complete secret of a subscription. It starts with whsec_.");
}
