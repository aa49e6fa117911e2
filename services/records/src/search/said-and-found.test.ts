import { seedFor, toHashes, toWantedHashes } from "./hashes.js";
import { toReadings } from "./readings.js";
import { toSearchText } from "./search-text.js";

interface Address {
  name?: string;
  street1?: string;
  street2?: string;
  state?: string;
  city?: string;
  postal_code?: string;
  country?: string;
  phone?: string;
}

const PLAIN = { name: "Zoe", street1: "1", city: "Zzz", postal_code: "1", country: "AQ" };
const SEED = seedFor({ accountId: "acc_1", environment: "sandbox" }, 0);

/** Whether a text is like a pattern of a reading, which has wildcards at its ends alone. */
const isLike = (text: string, pattern: string) => text.includes(pattern.slice(1, -1).replace(/\\(.)/g, "$1"));

/** Whether a record is found by its text, and whether it is also by its hashes. */
function findBy(to: Address, from: Address, said: string): { text: boolean; hashes: boolean } {
  const text = toSearchText({ reference: "R", to: { ...PLAIN, ...to }, from: { ...PLAIN, ...from } });
  const hashes = new Set(toHashes(text, SEED));
  const found = toReadings(said).filter(({ patterns }) => patterns.every((pattern) => isLike(text, pattern)));
  const hashed = found.filter(({ strings }) => toWantedHashes(strings, SEED).every((hash) => hashes.has(hash)));
  return { text: found.length > 0, hashes: hashed.length > 0 };
}

function expectFound(to: Address, said: readonly string[], not: readonly string[] = [], from: Address = {}): void {
  const all = [...said, ...not].map((text) => [text, findBy(to, from, text)]);
  const is = (found: boolean) => ({ text: found, hashes: found });
  expect(all).toEqual([...said.map((text) => [text, is(true)]), ...not.map((text) => [text, is(false)])]);
}

/** Records, each with what finds it and what does not. */
const cases = <Of>(rows: readonly (readonly [what: string, of: Of, said: string[], not?: string[]])[]) =>
  rows.map(([what, of, said, not = []]) => [what, of, said, not] as const);

describe("a shipment is found by what callers say", () => {
  test.each(
    cases<Address>([
      [
        "the first line of a street",
        { street1: "Am Alten Markt 17b" },
        ["alten markt", "markt 17b", "MARKT"],
        ["neuen markt"],
      ],
      ["the second line of a street", { street2: "c/o Lovelace, Etage 3" }, ["lovelace", "etage 3", "etage"]],
      ["a state", { state: "Niedersachsen" }, ["niedersachsen", "nieders"], ["sachsen-anhalt"]],
      ["a state of two letters", { state: "CA" }, ["CA", "ca"]],
      ["a country by its code", { country: "DE" }, ["DE", "de"], ["fr"]],
      ["a country by its English name", { country: "DE" }, ["Germany", "germ"], ["Allemagne"]],
      ["a country by its own name", { country: "DE" }, ["Deutschland", "deutsch"], ["France"]],
      ["a country by a name with accents", { country: "AT" }, ["Österreich", "Oesterreich", "Osterreich", "Austria"]],
      ["a country by its own name in another alphabet", { country: "GR" }, ["Ελλάδα", "Ellada", "Greece"]],
      ["a country by its own name without spaces", { country: "JP" }, ["日本", "Japan"]],
      [
        "a country by a name of several words",
        { country: "GB" },
        ["United Kingdom", "kingdom", "GB"],
        ["United States"],
      ],
      [
        "a street, a town and a country",
        { street1: "Lange Straße 1", city: "Kiel", country: "DE" },
        ["lange kiel germany"],
      ],
    ]),
  )("%s", (_what, to, said, not) => expectFound(to, said, not));

  test("the sender's street, state and country", () => {
    const from = { street1: "Speicherstraße 4", state: "Bremen", country: "NL" };
    expectFound({}, ["speicherstr", "bremen", "Netherlands", "nederland"], ["germany"], from);
  });
});

describe("letters are found however they are spelled", () => {
  test.each(
    cases<string>([
      ["ü", "Müller", ["Müller", "mueller", "muller", "MÜLLER", "mu\u0308ller", "muell", "mü"], ["moller"]],
      ["ue", "Mueller", ["Müller", "mueller", "mü", "mue"], ["moeller"]],
      ["u", "Muller", ["Müller", "muller"], ["mueller"]],
      ["ä", "Jäger", ["Jäger", "jaeger", "jager"]],
      ["ae", "Jaeger", ["Jäger", "jaeger"]],
      ["ö", "Göthe", ["Göthe", "goethe", "gothe"]],
      ["oe", "Goethe", ["Göthe", "goethe"]],
      ["ß", "Weißmann", ["Weißmann", "weissmann", "WEISSMANN", "WEIẞMANN"]],
      ["ẞ", "WEIẞMANN", ["weißmann", "weissmann"]],
      ["ss", "Weissmann", ["weißmann", "weissmann"]],
      ["å", "Ångström", ["Ångström", "aangstroem", "angstrom", "Ångstrom"]],
      ["aa", "Aalborg", ["Ålborg", "aalborg"]],
      ["ø", "Sørensen", ["Sørensen", "soerensen", "sorensen"]],
      ["oe for ø", "Soerensen", ["Sørensen", "soerensen"]],
      ["æ", "Sæby", ["Sæby", "saeby"]],
      ["ae for æ", "Saeby", ["Sæby", "saeby"]],
      ["œ", "Cœur", ["Cœur", "coeur"]],
      ["a short word that is no umlaut", "Sue", ["sue"], ["susan"]],
      ["several umlauts in one word, and a pair of vowels", "Königsaue", ["Königsaue", "koenigsaue", "konigsaue"]],
      ["several, spelled out", "Koenigsaue", ["Königsaue", "koenigsaue"]],
      ["the Turkish İ and ı", "İpek Yıldız", ["ipek", "İPEK", "yildiz", "YILDIZ", "yıldız", "ipek yildiz"]],
      ["i for the Turkish ı", "Yildiz", ["Yıldız", "YILDIZ"]],
      ["a Polish ł, a Croatian đ, an Icelandic þ", "Łukasz Đorđe Þór", ["lukasz", "dorde", "thor", "Łukasz"]],
      ["an apostrophe", "Sean O'Neill", ["oneill", "O'Neill", "o neill", "O’Neill", "sean oneill", "neill"]],
      ["a curly apostrophe", "Sean O’Neill", ["oneill", "O'Neill", "ONEILL", "o´neill", "oʼneill", "o`neill"]],
      ["a name without its apostrophe", "Sean ONeill", ["O'Neill", "O’Neill", "oneill", "sean o'neill"]],
      ["a hyphen", "Jean-Luc", ["jeanluc", "jean luc", "Jean-Luc", "Jean‑Luc", "luc"]],
      ["a name without its hyphen", "Jeanluc", ["Jean-Luc", "jeanluc"]],
      [
        "a double name",
        "Müller-Lüdenscheid",
        [
          "Müller-Lüdenscheid",
          "muellerluedenscheid",
          "mueller luedenscheid",
          "mullerludenscheid",
          "luedenscheid",
          "müller",
        ],
      ],
      [
        "a double name that is spelled out",
        "Mueller-Luedenscheid",
        ["Müller-Lüdenscheid", "müllerlüdenscheid", "Müller Lüdenscheid"],
      ],
      ["a name of three parts", "d'Artagnan-Smith", ["dartagnansmith", "artagnan", "d'artagnan"]],
      ["a Catalan middle dot", "Paral·lel", ["parallel", "paral·lel"]],
      ["a soft hyphen", "Donau\u00addampf", ["donaudampf", "Donau\u00addampf"]],
      ["a zero-width joiner and non-joiner", "Sch\u200dnei\u200cder", ["schneider", "sch\u200cneider"]],
      ["other invisible characters", "\ufeffAda\u2060 Love\u200blace\ufe0f", ["ada lovelace", "\u200elovelace"]],
      [
        "invisible characters that the caller copied",
        "Schneider",
        ["Schnei\u00adder", "\u202aSchneider\u202c", "Sch\u034fneider"],
      ],
      ["a name in Cyrillic", "Екатерина Соколова", ["ekaterina sokolova", "Соколова", "СОКОЛОВА", "sokol"]],
      ["a name in Latin letters, typed in Cyrillic", "Ekaterina Sokolova", ["Соколова", "Екатерина"]],
      ["a Cyrillic й, which has two readings", "Чайковский", ["Чайковский", "chaykovskiy", "chaikovskii", "чаико"]],
      ["an ё without its accent", "Королёв", ["Королев", "korolev", "Королёв"]],
      ["a soft sign", "Тверь", ["tver", "Тверь"]],
      ["a name in Greek", "Νίκος Παππάς", ["nikos pappas", "Παππάς", "ΠΑΠΠΑΣ", "παππας"]],
      ["a name in Latin letters, typed in Greek", "Nikos Pappas", ["Παππάς", "Νίκος"]],
      ["full-width letters", "Ｓｃｈｍｉｄｔ", ["schmidt", "Ｓｃｈｍｉｄｔ", "ＳＣＨＭ"]],
      ["letters, typed in full width", "Schmidt", ["Ｓｃｈｍｉｄｔ"]],
      ["a ligature", "Griﬃn", ["griffin", "griﬃn"]],
    ]),
  )("%s", (_what, name, said, not) => expectFound({ name }, said, not));
});

describe("digits are found in any script", () => {
  test.each(
    cases<Address>([
      ["Arabic-Indic digits", { phone: "٠١٥١ ٩٨٧٦٥٤٣" }, ["9876543", "٩٨٧٦", "01519876543", "6543"]],
      ["Persian digits", { street1: "خیابان ۱۲۳۴" }, ["1234", "۱۲۳۴"]],
      ["Devanagari digits", { postal_code: "११०००१" }, ["110001", "११००", "1100"]],
      ["full-width digits", { postal_code: "１００-０００１" }, ["1000001", "100-0001", "１００"]],
      ["digits of 0 to 9, typed in another script", { phone: "+49 151 987654" }, ["٩٨٧٦٥٤", "９８７６"]],
      ["mathematical digits", { street1: "𝟏𝟐𝟑𝟒 Main" }, ["1234 main"]],
    ]),
  )("%s", (_what, to, said, not) => expectFound(to, said, not));
});
