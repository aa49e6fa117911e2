import anyAscii from "any-ascii";
import { type LetterFont, openFont } from "./open-font.js";
import { isWinAnsi, orUnknown, transliterated, withoutEmoji } from "./standard-font.js";

// The scripts for which each font is tried first, so that most addresses open only one or two fonts.
const FONTS: readonly { font: LetterFont; scripts: RegExp }[] = [
  [
    "NotoSans-Regular.ttf",
    /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Devanagari}\p{Script=Common}\p{M}]/u,
  ],
  ["NotoSansHebrew-Regular.ttf", /\p{Script_Extensions=Hebrew}/u],
  ["NotoSansArabic-Regular.ttf", /\p{Script_Extensions=Arabic}/u],
  ["NotoSansThai-Regular.ttf", /\p{Script_Extensions=Thai}/u],
  ["NotoSansGeorgian-Regular.ttf", /\p{Script_Extensions=Georgian}/u],
  ["NotoSansArmenian-Regular.ttf", /\p{Script_Extensions=Armenian}/u],
  [
    "DroidSansFallback.ttf",
    /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script=Hangul}\uff01-\uffee]/u,
  ],
].map(([file, scripts]) => ({ font: openFont(file as string), scripts: scripts as RegExp }));

const LETTER = /\p{L}/u;
const FOREIGN = /[^\P{L}\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;

// Format characters are invisible, except joiners within a word: Persian and Marathi spell with them, because they change how letters join.
const UNSEEN = /(?!(?<=[\p{M}\p{Script=Arabic}\p{Script=Devanagari}])[\u200c\u200d]\p{L})\p{Cf}/gu;

// No language puts more marks on a letter. Each stands above or below the previous one, so a hundred would cross the whole label.
const EXCESS_MARKS = /(?<=\p{M}{4})\p{M}+/gu;

/** Returns true if the text has non-Latin letters, which some people on a parcel's way cannot read. */
export function isForeign(text: string): boolean {
  return FOREIGN.test(text);
}

/** Returns the font for a character: the font of the text before it, if that has the character. Undefined if no font has it. */
export function fontFor(character: string, before?: LetterFont): LetterFont | undefined {
  const codePoint = character.codePointAt(0) ?? 0;
  if (before?.has(codePoint)) return before;
  const likely = FONTS.find(({ font, scripts }) => scripts.test(character) && font.has(codePoint));
  return (likely ?? FONTS.find(({ font }) => font.has(codePoint)))?.font;
}

// These are forms of old terminals, which the fonts lack. Two of them can be one letter: ｶﾞ is ガ.
const HALF_WIDTH_KANA = /[\uff61-\uff9f]+/g;

/**
 * Puts the text on one line: white space collapsed, emoji left out, at most four marks on a letter. If the fonts lack one of its letters,
 * all of it is transliterated, because a name with letters of two scripts is hard to read.
 */
export function ownLetters(text: string): string {
  if (isWinAnsi(text)) return transliterated(text);
  const line = withoutEmoji(text)
    .normalize("NFC")
    .replace(HALF_WIDTH_KANA, (kana) => kana.normalize("NFKC"))
    .replace(UNSEEN, "")
    .replace(/[\s\p{Cc}]+/gu, " ");
  let before: LetterFont | undefined;
  let set = "";
  for (const character of line) {
    const font = fontFor(character, before);
    if (!font && LETTER.test(character)) return transliterated(text);
    set += font ? character : anyAscii(character);
    before = font ?? before;
  }
  return orUnknown(set.replace(EXCESS_MARKS, "").replace(/ +/g, " ").trim(), text);
}
