import { visible } from "@shipping/api/input/text";
import type { ComponentChildren, ComponentProps } from "preact";
import { Marked } from "./marked.js";
import type { HtmlPage } from "./page.js";

/** User text: it cannot reorder the text around it, and its invisible characters are shown. */
export function Text({ children }: { children: string }) {
  return <bdi>{visible(children)}</bdi>;
}

/** The same in bold: the name of an account, or a person's email address, within a sentence. */
export function Name({ children }: { children: string }) {
  return (
    <strong>
      <Text>{children}</Text>
    </strong>
  );
}

/** The link of a row, which a click anywhere in the row follows. */
export function RowLink(props: { href: string; children: string; title?: string; marks?: readonly string[] }) {
  const { href, children, title = visible(children), marks = [] } = props;
  return (
    <a href={href} class="row" title={title} data-result>
      <Marked marks={marks}>{children}</Marked>
    </a>
  );
}

/**
 * A point in time, in UTC. The script replaces it with the time in the reader's zone, and the zone's name; the tooltip stays in UTC. In a list it is
 * `short`: without the zone, and without the year or the day if these are the present ones.
 */
export function Time({ at, short }: { at: Date | string; short?: true }) {
  const iso = new Date(at).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  const minute = `${day} ${time.slice(0, 5)}`;
  return (
    <time dateTime={iso} title={`${day} ${time} UTC`} class={short && "short"}>
      {short ? minute : `${minute} UTC`}
    </time>
  );
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const relative = new Intl.RelativeTimeFormat("en");

/** How long ago something was, or how soon it will be: "35 minutes ago", "in 2 hours". */
export function formatAgo(at: Date | string, now: Date): string {
  const ms = now.getTime() - new Date(at).getTime();
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? [];
  if (unit) return relative.format(-Math.trunc(ms / unitMs), unit);
  return ms >= 0 ? "just now" : "in less than a minute";
}

/** How long ago something was. The exact time is the tooltip, and the script keeps the words up to date. */
export function Ago({ at, now }: { at: Date | string; now: Date }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`} class="ago">
      {formatAgo(at, now)}
    </time>
  );
}

/** A point in time, and how long ago it was. */
export function TimeAgo({ at, now }: { at: Date | string; now: Date }) {
  return (
    <>
      <Time at={at} />{" "}
      <span class="soft">
        (<Ago at={at} now={now} />)
      </span>
    </>
  );
}

/** " since" a point in time, within a sentence. Renders nothing if the time is not known. */
export function Since({ at }: { at: string | undefined }) {
  if (!at) return null;
  return (
    <>
      {" since "}
      <Time at={at} />
    </>
  );
}

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

/** An ID or a number to copy, perhaps with a link. The script adds a button if the browser has a clipboard. */
export function Id({ children, href }: { children: string; href?: string }) {
  if (href === undefined) return <code data-copy>{children}</code>;
  return (
    <a href={href} data-copy>
      <code>{children}</code>
    </a>
  );
}

// Invisible characters, and those that change the direction of text.
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** User text to copy. The script adds a button if the browser has a clipboard. */
export function Copyable({ children }: { children: string }) {
  return <bdi data-copy>{visible(children)}</bdi>;
}

/** A JSON value to copy, over several lines. Invisible characters are escaped as \uXXXX. */
export function Json({ value }: { value: unknown }) {
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const text = JSON.stringify(value, null, 2).replace(INVISIBLE, (character) => character.replace(/./gs, toEscape));
  return <Code>{text}</Code>;
}

/** Lines to copy. The script adds a button if the browser has a clipboard. */
export function Code({ children }: { children: string }) {
  return (
    <pre data-copy>
      <code>{children}</code>
    </pre>
  );
}

/** A secret that is shown once. The script adds a copy button and wipes the secret when the page is left; Back leads to `list`. */
export function Secret({ list, children }: { list: string; children: string }) {
  return (
    <output id="secret" data-copy data-list={list}>
      {children}
    </output>
  );
}

/** A guide, or a part of one. Its HTML is rendered from our own Markdown, in which HTML is shown as text. */
export function Guide({ html }: { html: string }) {
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}

export function Note({ kind, children }: { kind: "danger" | "good" | "hint"; children: ComponentChildren }) {
  return (
    <div class={`note ${kind}`} role={kind === "danger" ? "alert" : undefined}>
      {children}
    </div>
  );
}

/** The attributes of the message with which a page begins: it has the focus, so screen readers start there. */
export const START = { tabIndex: -1, autofocus: true } as const;

/** A page whose heading is its title. */
export function titledPage(title: string, body: ComponentChildren, status = 200): HtmlPage {
  return { status, title, body: [<h1>{title}</h1>, body] };
}

/** A paragraph in a note. */
export function Notice({ kind, children }: ComponentProps<typeof Note>) {
  return (
    <Note kind={kind}>
      <p>{children}</p>
    </Note>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ href, children }: { href: string; children: string }) {
  return (
    <a class="button" href={href}>
      {children}
    </a>
  );
}

/** A link to a page with a `Confirmation`, which the script shows in a dialog. */
export function AskLink(props: ComponentProps<"a">) {
  return <a {...props} data-ask />;
}

/** The head of a page with a list: its title, what the list is, and the button that adds to it. */
export function ListHead(props: { title: string; add: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="head">
      <div>
        <h1>{props.title}</h1>
        <p>{props.children}</p>
      </div>
      {props.add}
    </div>
  );
}

/** Above a heading: the way back to the list. */
export function Breadcrumb({ list, children }: { list: string; children: string }) {
  return (
    <p class="breadcrumb">
      <a href={list}>{children}</a>
    </p>
  );
}
