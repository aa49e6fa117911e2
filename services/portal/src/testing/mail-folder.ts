import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { type AddressObject, type ParsedMail, simpleParser } from "mailparser";

/** The emails that a portal without a mail server keeps in a folder. */
export interface MailFolder {
  /** Waits for the next email to an email address, and returns each only once. */
  mailTo(address: string): Promise<{ parsed: ParsedMail }>;
}

export function mailFolder(folder: string): MailFolder {
  const asked = new Set<string>();
  return {
    mailTo: (address) =>
      eventually(async () => {
        for (const file of (await readdir(folder)).filter((name) => !asked.has(name)).sort()) {
          const parsed = await simpleParser(await readFile(join(folder, file)));
          const [to] = [parsed.to ?? []].flat() as AddressObject[];
          if (to?.value[0]?.address !== address) continue;
          asked.add(file);
          return { parsed };
        }
        throw new Error(`No mail to ${address} in ${folder}.`);
      }),
  };
}
