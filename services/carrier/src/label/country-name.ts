const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

// Replacements for Unicode names that are made for lists, not for parcels.
const POSTAL_NAMES: Record<string, string> = {
  CD: "DEMOCRATIC REPUBLIC OF THE CONGO",
  CG: "REPUBLIC OF THE CONGO",
  HK: "HONG KONG",
  MM: "MYANMAR",
  MO: "MACAO",
  PS: "PALESTINE",
};

// ISO 3166-1 leaves these codes to its users, but Kosovo's is in use.
const USER_ASSIGNED = /^(AA|Q[M-Z]|X[A-JL-Z]|ZZ)$/;

/**
 * The country's name in English capitals, as the Universal Postal Union wants it on the last line of an address; for a code without a name,
 * the code.
 */
export function countryName(code: string): string {
  if (USER_ASSIGNED.test(code)) return code;
  return POSTAL_NAMES[code] ?? (names.of(code) ?? code).toUpperCase();
}
