import type { ComponentChildren } from "preact";
import { visible } from "../../input/text.js";

export { visible };

/** A text that somebody typed: it cannot reorder the text around it, and its invisible characters are shown. */
export function Text({ children }: { children: string }) {
  return <bdi>{visible(children)}</bdi>;
}

/** A point in time: UTC as it is sent and when it is pointed at, the reader's own time once the script has run. */
export function Time({ at }: { at: Date }) {
  const iso = at.toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  return <time dateTime={iso} title={`${day} ${time} UTC`}>{`${day} ${time.slice(0, 5)} UTC`}</time>;
}

/** Short words of a machine, each in a frame of its own: scopes, types of events. */
export function Chips({ words }: { words: readonly string[] }) {
  return (
    <ul class="chips">
      {words.map((word) => (
        <li>
          <code>{word}</code>
        </li>
      ))}
    </ul>
  );
}

/** Lines to copy. The script gives them a button where there is a clipboard. */
export function Code({ children }: { children: string }) {
  return (
    <pre data-copy>
      <code>{children}</code>
    </pre>
  );
}

/** A message about what has just happened, or about what to watch out for. */
export function Note({ kind, children }: { kind: "danger" | "good" | "hint"; children: ComponentChildren }) {
  return (
    <div class={`note ${kind}`} role={kind === "danger" ? "alert" : undefined}>
      {children}
    </div>
  );
}
