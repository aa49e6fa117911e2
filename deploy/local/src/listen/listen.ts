import "@shipping/kit/process/require-node";
import { createLog } from "@shipping/kit/process/log";
import { configured, type Running, runProcess } from "@shipping/kit/process/run-process";
import { localConfig } from "../config.js";
import { explainStart } from "../platform/explain-start.js";
import { type ListenOptions, listenOptions } from "./listen-options.js";
import { findPlatform, type ListenSubscription, subscribe } from "./listen-subscription.js";
import { formatDelivery, openReceiver, type Receiver } from "./receiver.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Runs `npm run listen`: a receiver that verifies and prints its requests, until Ctrl-C. */
async function start(): Promise<Running> {
  const options = listenOptions(process.argv.slice(2));
  const receiver = await open(options);
  for (const secret of options.secrets) receiver.trust(secret);
  const subscription = options.subscribe ? await subscribeTo(receiver) : undefined;
  say(`Listening on ${receiver.url}. Press Ctrl-C to stop.`);
  return {
    async stop() {
      if (subscription) await end(subscription);
      await receiver.close();
    },
  };
}

async function open({ port }: ListenOptions): Promise<Receiver> {
  try {
    return await openReceiver({ port, onDelivery: (delivery) => say(formatDelivery(delivery)) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use. Choose another with --port.`);
  }
}

async function subscribeTo(receiver: Receiver): Promise<ListenSubscription> {
  const access = await findPlatform(configured(localConfig).DATA_DIR);
  // This path is used only here, because any other subscription to this URL counts as a leftover.
  const subscription = await subscribe(access, new URL("/listen", receiver.url).href);
  receiver.trust(subscription.secret);
  say(`Subscribed to all sandbox events of the demo account at ${access.baseUrl}. Subscription: ${subscription.id}.`);
  return subscription;
}

// The platform may already have ended; then the next listener deletes the subscription.
async function end(subscription: ListenSubscription): Promise<void> {
  try {
    await subscription.delete();
    say(`Deleted subscription ${subscription.id}.`);
  } catch (error) {
    say(`Could not delete subscription ${subscription.id}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

await runProcess({
  log: createLog({ part: "listen", level: "warn", destination: process.stderr }),
  start: (stopping) => explainStart(start, stopping),
});
