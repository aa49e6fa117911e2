import { fileURLToPath } from "node:url";
import { examples } from "@shipping/local/option-values";
import { Command } from "commander";

/** Programs that take minutes or hours and report their measurements. Each parses the rest of the command line itself. */
const trials: Record<string, { main: string; summary: string }> = {
  chaos: { main: "chaos/main.js", summary: "run operations while processes are killed, and audit every response" },
  deliveries: {
    main: "chaos/deliveries/main.js",
    summary: "measure the effects of failures of receivers, NATS and webhooks",
  },
  carrier: {
    main: "carrier/main.js",
    summary: "buy labels from an unreliable carrier, and compare its ledger with ours",
  },
  abuse: { main: "abuse/main.js", summary: "measure the effect of attacks on other customers" },
  isolation: {
    main: "isolation/main.js",
    summary: "check that the API notices nothing of the portal: its outages, its pages, its certificate",
  },
  failover: {
    main: "failover/main.js",
    summary: "play faults of PostgreSQL and NATS, and large migrations, under load",
  },
  history: {
    main: "history/main.js",
    summary: "record the observations of clients of two gateways under faults, and judge them",
  },
  mutants: { main: "mutants/main.js", summary: "break the code in one place at a time, and check whether tests fail" },
  faults: {
    main: "faults/main.js",
    summary: "plant known mistakes one at a time, and check that the named tests fail",
  },
  fuzz: { main: "fuzz/main.js", summary: "give parsers changed inputs, and compare them with a second opinion" },
  infrastructure: {
    main: "infrastructure/main.js",
    summary: "run on servers with other settings, limits, poolers and roles",
  },
  releases: { main: "releases/main.js", summary: "upgrade from an older commit and back, process by process" },
  versions: { main: "versions/main.js", summary: "run the tests with other versions of Node, PostgreSQL and NATS" },
  restore: { main: "restore/main.js", summary: "back up, lose PostgreSQL, restore, and audit the result" },
};

const command = new Command("npm run trial --")
  .description("Run a trial of the whole platform.")
  .usage("<name> [options]")
  .enablePositionalOptions()
  .helpCommand(false)
  .configureHelp({ subcommandTerm: (trial) => trial.name() })
  .addHelpText("after", examples("npm run trial -- chaos 500", "npm run trial -- failover --help"));
for (const [name, { main, summary }] of Object.entries(trials)) {
  command
    .command(name)
    .description(summary)
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument("[arguments...]")
    .action(async (args: string[]) => {
      // A separate process, because some programs start themselves again.
      process.argv.splice(1, process.argv.length, fileURLToPath(new URL(main, import.meta.url)), ...args);
      await import(`./${main}`);
    });
}
await command.parseAsync();
