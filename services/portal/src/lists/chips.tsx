import { Text } from "../page/text.js";

/** A link to the list with other filters. */
export interface Chip {
  words: string;
  href: string;
  /** The filter is in use, and the link removes it. */
  used?: true;
  /** The filter depends on the reader's zone, which the script adds. */
  inZone?: true;
}

/** The most chips above a list: together with the fields before them, they are reached with fewer than ten presses of Tab. */
const MOST = 5;

/** The filters in use, each with a link to the list without it, and after them quick ones. */
export function Chips({ chips }: { chips: readonly Chip[] }) {
  return (
    <ul class="chips filters" aria-label="Filters">
      {chips.slice(0, MOST).map(({ words, href, used, inZone }) =>
        used ? (
          <li class="used">
            <a href={href} title="Remove this filter">
              <Text>{words}</Text>
              <span aria-hidden="true"> ×</span>
              <span class="unseen">, remove this filter</span>
            </a>
          </li>
        ) : (
          <li>
            <a href={href} data-zone={inZone}>
              {words}
            </a>
          </li>
        ),
      )}
    </ul>
  );
}
