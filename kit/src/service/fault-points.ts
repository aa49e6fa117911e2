import { readFileSync, renameSync } from "node:fs";
import type { Transport } from "@connectrpc/connect";
import type { Bus } from "../events/bus.js";
import type { Ledger } from "../ledger/ledger.js";
import { ConfigError } from "../process/config.js";

/** Points at which a test can end a process, as kill -9 would. */
export interface FaultPoints {
  /** Ends the process immediately if this is the requested point; otherwise does nothing. */
  at(point: string): void;
}

/**
 * The fault points of a process. `FAULT_FILE` is the path of a file with the name of a point. The process that reaches this point renames the
 * file and kills itself, so only one process ends, and only once. The setting is refused in production.
 */
export function readFaultPoints({
  FAULT_FILE: file,
  NODE_ENV,
}: Partial<Record<"FAULT_FILE" | "NODE_ENV", string | undefined>>): FaultPoints | undefined {
  if (file === undefined) return undefined;
  if (NODE_ENV === "production") throw new ConfigError("FAULT_FILE is refused in production.");
  return {
    at(point) {
      if (readPoint(file) === point && takeFile(file)) process.kill(process.pid, "SIGKILL");
    },
  };
}

function readPoint(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

function takeFile(file: string): boolean {
  try {
    renameSync(file, `${file}.${process.pid}`);
    return true;
  } catch {
    return false;
  }
}

/** Adds the fault points `before-send <Method>` and `after-answer <Method>` to calls. */
export function transportWithFaultPoints<T extends Transport>(transport: T, faultPoints: FaultPoints | undefined): T {
  if (!faultPoints) return transport;
  const unary: Transport["unary"] = async (...call) => {
    faultPoints.at(`before-send ${call[0].name}`);
    const answer = await transport.unary(...call);
    faultPoints.at(`after-answer ${call[0].name}`);
    return answer;
  };
  return { ...transport, unary };
}

/** Adds the fault points `before-statement` and `after-commit` to every operation's statement. */
export function ledgerWithFaultPoints(ledger: Ledger, faultPoints: FaultPoints | undefined): Ledger {
  if (!faultPoints) return ledger;
  async function around<T>(run: () => Promise<T>): Promise<T> {
    faultPoints?.at("before-statement");
    const outcome = await run();
    faultPoints?.at("after-commit");
    return outcome;
  }
  return {
    ...ledger,
    execute: (...writes) => around(() => ledger.execute(...writes)),
    executeCreations: (...writes) => around(() => ledger.executeCreations(...writes)),
  };
}

/** Adds the fault points `before-publish` and `after-publish` to a bus. */
export function busWithFaultPoints(bus: Bus, faultPoints: FaultPoints | undefined): Bus {
  if (!faultPoints) return bus;
  return {
    ...bus,
    async publish(event, messageId) {
      faultPoints.at("before-publish");
      await bus.publish(event, messageId);
      faultPoints.at("after-publish");
    },
  };
}
