import { silentLog } from "@shipping/kit/process/log";
import { CommanderError } from "commander";
import { checkPlatform } from "../doctor/check-platform.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

/** Adds the command that checks the platform. */
export function addDoctorCommand(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("doctor")
    .description("Check what is reachable and migrated, and say what to do if it is not")
    .addHelpText("after", examples(""))
    .reads(async () => {
      const findings = await checkPlatform(await platform(), silentLog());
      const lines = findings.map(
        ({ part, ok, says, advice }) => `${ok ? "ok" : "!!"}  ${part}: ${says}${advice ? `\n    ${advice}` : ""}`,
      );
      const ok = findings.every((finding) => finding.ok);
      print({ ok, findings }, lines.join("\n"));
      if (!ok) throw new CommanderError(1, "admin.doctor", "at least one check failed");
    });
}
