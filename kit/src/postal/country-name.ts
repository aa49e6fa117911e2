// These are the codes of ISO 3166-1, without those that were withdrawn.
const ISO = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK
CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS
GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV
LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR
TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`;

// Posts and carriers also use the codes of Kosovo, Ascension, Tristan da Cunha, the Canary Islands, and Ceuta and Melilla.
const NAMED = `${ISO} XK AC TA IC EA`.trim().split(/\s+/);

const unicodeNames = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

// These names replace Unicode's, which are made for lists, not for parcels.
const POSTAL_NAMES: Record<string, string> = {
  CD: "DEMOCRATIC REPUBLIC OF THE CONGO",
  CG: "REPUBLIC OF THE CONGO",
  HK: "HONG KONG",
  MM: "MYANMAR",
  MO: "MACAO",
  PS: "PALESTINE",
};

const names = new Map(NAMED.map((code) => [code, POSTAL_NAMES[code] ?? (unicodeNames.of(code) ?? code).toUpperCase()]));

/**
 * Returns the country's name in English capitals, as the Universal Postal Union wants it on the last line. A code that is withdrawn or
 * unassigned is printed as it is: Unicode's names of these, such as Serbia for YU, lead to other countries than the sender meant.
 */
export function countryName(code: string): string {
  return names.get(code) ?? code;
}
