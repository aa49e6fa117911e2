import type { Caller } from "@shipping/kit/caller";
import { UNSPACED } from "./readings.js";

/** The lengths of the beginnings that have hashes. A longer string is found by the longest of these, and then compared. */
const LENGTHS = [9, 5, 3];

/** So many hashes that few records have all of them. */
const MAX_WANTED = 12;

/**
 * The hashes of a search text, for the index. A string has one of each of its beginnings of three, five and nine letters, and of each four
 * digits in a row. A string of one or two letters has one of the whole. What is found by any part has those of the beginnings from each
 * letter on, and letters without spaces between words have one from each on, too.
 */
export function toHashes(text: string, seed: number): number[] {
  const hashes = new Set<number>();
  const anywhere = text.split("\n").map((line) => line.slice(1, -1));
  const beginnings = anywhere.pop()!.split(" ");
  const add = (string: string, isAnywhere: boolean) => {
    if (string.length < 3) hashes.add(hash(seed, string, 0, string.length));
    for (let at = 0; at < string.length; at++) {
      const isDigits = isFourDigits(string, at);
      if (isDigits) hashes.add(hash(seed, string, at, 4));
      const isUnspaced = string.charCodeAt(at) > 127 && UNSPACED.test(string[at]!);
      if (at > 0 && !isAnywhere && !isUnspaced) continue;
      for (const length of isDigits ? [3] : isUnspaced ? [...LENGTHS, 2, 1] : LENGTHS)
        if (at + length <= string.length) hashes.add(hash(seed, string, at, length));
    }
  };
  for (const string of anywhere) add(string, true);
  for (const string of beginnings) add(string, false);
  return [...hashes];
}

/** The hashes that a record has if it is found by these strings: all of them, or so many that few others have them. */
export function toWantedHashes(strings: readonly string[], seed: number): number[] {
  const hashes = new Set<number>();
  const rare = strings.filter(({ length }) => length >= 3);
  // One or two letters alone find a whole word.
  for (const string of rare.length > 0 ? rare : strings) {
    for (const { 0: digits, index } of string.matchAll(/\d{4,}/g))
      for (let at = 0; at < digits.length; at += 4)
        hashes.add(hash(seed, string, index + Math.min(at, digits.length - 4), 4));
    const length = LENGTHS.find((length) => length <= string.length);
    if (length === undefined) hashes.add(hash(seed, string, 0, string.length));
    else if (!isFourDigits(string, 0)) hashes.add(hash(seed, string, 0, length));
  }
  return [...hashes].slice(0, MAX_WANTED);
}

/** The state with which the hashes of an owner's segment begin. The IDs of accounts are secret, so nobody can choose texts that share hashes. */
export function seedFor({ accountId, environment }: Caller, segment: number): number {
  const owner = `${accountId} ${environment} ${segment}`;
  let seed = 2_166_136_261;
  for (let at = 0; at < owner.length; at++) seed = mix(seed, owner.charCodeAt(at));
  return mix(seed ^ (seed >>> 15), seed >>> 7);
}

function hash(seed: number, string: string, from: number, length: number): number {
  let hashed = seed;
  for (let at = from; at < from + length; at++) hashed = mix(hashed, string.charCodeAt(at));
  return hashed | 0;
}

// FNV-1a, by code unit.
const mix = (hashed: number, unit: number) => Math.imul(hashed ^ unit, 16_777_619);

function isFourDigits(string: string, from: number): boolean {
  for (let at = from; at < from + 4; at++) {
    const unit = string.charCodeAt(at);
    if (!(unit >= 48 && unit <= 57)) return false;
  }
  return true;
}
