import { domainToASCII } from "node:url";
import type { Field } from "@shipping/api/input/fields";
import { isWithin } from "@shipping/api/input/text";
import { z } from "zod";

/** A form's field for an email address. */
export const EMAIL_FIELD: Field = { maxLength: 200 };

// Quoted local parts, comments and lists are refused: a server that parses them differently would send the email to another recipient.
const ADDRESS = /^[^\s@\p{C}\p{DI}\u2800<>"(),:;\\[\]]+@[^\s@\p{C}\p{DI}\u2800<>"(),:;\\[\]]+$/u;

const ASCII_DOMAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** Whether a text is exactly one email address. */
export function isAddress(text: string): boolean {
  return isWithin(text, EMAIL_FIELD.maxLength) && ADDRESS.test(text);
}

/**
 * Spells an email address as it is stored, compared and counted: in lower case and NFC, the domain in ASCII (UTS #46) without a dot at its
 * end. Returns undefined if the text is not an email address.
 */
export function canonicalAddress(text: string): string | undefined {
  const typed = text.trim();
  if (!isAddress(typed)) return undefined;
  const [local = "", typedDomain = ""] = typed.split("@");
  // `domainToASCII` parses a URL's host: it would cut off what follows these characters, and decode percent signs.
  if (/[/?#%]/.test(typedDomain)) return undefined;
  const domain = domainToASCII(typedDomain).replace(/\.$/, "");
  const address = `${local.toLowerCase().normalize("NFC")}@${domain}`;
  return ASCII_DOMAIN.test(domain) && isAddress(address) ? address : undefined;
}

/** An email address in a form, as it is stored. */
export const emailAddress = z
  .string("is required")
  .refine((text) => canonicalAddress(text) !== undefined, "must be one email address")
  .transform((text) => canonicalAddress(text) ?? "");
