import type { ComponentChildren } from "preact";
import { visible } from "../../input/visible.js";

export { visible };

/** A text that somebody typed: it cannot reorder the text around it, and its invisible characters are shown. */
export function Text({ children }: { children: string }) {
  return <bdi>{visible(children)}</bdi>;
}

/** A point in time, as people read it and as machines do. */
export function Time({ at }: { at: Date }) {
  const iso = at.toISOString();
  return <time dateTime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
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
