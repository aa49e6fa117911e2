import { Table } from "./table.js";
import { Time } from "./text.js";
import { ZoneName } from "./zone.js";

export interface BarKind {
  /** Shown in the legend and in the table: "Delivered". */
  name: string;
  tone: "good" | "warning" | "danger";
}

/** An hour or a day with a count for each kind, from the bottom up. */
interface Bar {
  at: Date;
  counts: readonly number[];
}

// Sizes in units of the SVG.
const HEIGHT = 100;
const WIDTH = 20;
const GAP = 4;
// A small count stays visible beside a large one.
const MIN_LAYER_HEIGHT = 2;
const PER_TICK = { hour: 4, day: 5 };

type Unit = keyof typeof PER_TICK;

/**
 * Counts by the hour, or by the day in UTC, as stacked bars and as a table. `label` says what is counted: "Attempts per hour". A count above `most`
 * means "more than that".
 */
export function BarChart(props: {
  label: string;
  kinds: readonly BarKind[];
  bars: readonly Bar[];
  unit?: Unit;
  most?: number;
}) {
  const { label, kinds, bars, unit = "hour", most = Number.MAX_SAFE_INTEGER } = props;
  const format = (count: number) => (count > most ? `more than ${number(most)}` : number(count));
  const sums = bars.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const busiest = Math.max(...sums, 0);
  const totals = kinds.map((kind, n) => {
    const counts = bars.map((bar) => bar.counts[n] ?? 0);
    const total = number(counts.reduce((sum, count) => sum + Math.min(count, most), 0));
    return { ...kind, total: counts.some((count) => count > most) ? `more than ${total}` : total };
  });
  const summary = totals.map(({ name, total }) => `${total} ${name.toLowerCase()}`).join(", ");
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {totals.map(({ name, tone, total }) => (
            <li>
              <span class={`mark ${tone}`} aria-hidden="true" />
              {name} <strong>{total}</strong>
            </li>
          ))}
        </ul>
        <span>
          {busiest === 0 ? "None in this period" : `Peak ${unit}: ${format(busiest)}`} ·{" "}
          {unit === "hour" ? <ZoneName /> : "days in UTC"}
        </span>
      </figcaption>
      <svg
        class={busiest === 0 ? "none" : undefined}
        role="img"
        aria-label={`${label}: ${summary}`}
        viewBox={`0 0 ${bars.length * WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {bars.map((bar, n) => (
          <g>
            <title data-at={unit === "hour" ? bar.at.toISOString() : undefined}>
              {formatTitle(bar, kinds, unit, format)}
            </title>
            <rect class="hour" x={n * WIDTH} y={0} width={WIDTH} height={HEIGHT} />
            {stack(bar.counts, busiest).map(({ y, height }, kind) =>
              height > 0 ? (
                <rect class={kinds[kind]?.tone} x={n * WIDTH + GAP / 2} y={y} width={WIDTH - GAP} height={height} />
              ) : null,
            )}
          </g>
        ))}
      </svg>
      <div class="axis">
        {bars.flatMap(({ at }, n) =>
          n % PER_TICK[unit] !== 0 ? [] : unit === "hour" ? <Hour at={at} /> : <Day at={at} />,
        )}
      </div>
      <details>
        <summary>Show table</summary>
        <Table
          columns={{
            ...(unit === "hour"
              ? { Hour: ({ at }: Bar) => <Time at={at} /> }
              : { Day: ({ at }: Bar) => <Day at={at} /> }),
            ...Object.fromEntries(kinds.map(({ name }, n) => [name, ({ counts }: Bar) => format(counts[n] ?? 0)])),
          }}
          rows={bars}
        />
      </details>
    </figure>
  );
}

/** A label of the axis, in UTC. The script replaces it with the hour in the reader's zone. */
function Hour({ at }: { at: Date }) {
  const iso = at.toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}>
      {iso.slice(11, 16)}
    </time>
  );
}

/** A day in UTC. */
function Day({ at }: { at: Date }) {
  const day = at.toISOString().slice(0, 10);
  return (
    <time dateTime={day} title={day} class="day">
      {at.toLocaleDateString("en", { timeZone: "UTC", month: "short", day: "numeric" })}
    </time>
  );
}

function formatTitle(
  { at, counts }: Bar,
  kinds: readonly BarKind[],
  unit: Unit,
  format: (count: number) => string,
): string {
  const iso = at.toISOString();
  const words = kinds.map(({ name }, n) => `${format(counts[n] ?? 0)} ${name.toLowerCase()}`);
  return `${iso.slice(0, 10)}${unit === "hour" ? ` ${iso.slice(11, 16)} UTC` : ""}: ${words.join(", ")}`;
}

function number(value: number): string {
  return value.toLocaleString("en");
}

/** Positions the layers of a bar. Layers that are not empty have a minimum height; no bar is higher than the chart. */
export function stack(counts: readonly number[], most: number): { y: number; height: number }[] {
  const heights = counts.map((count) => (count === 0 ? 0 : Math.max(MIN_LAYER_HEIGHT, (count / most) * HEIGHT)));
  const sum = heights.reduce((one, other) => one + other, 0);
  const scale = Math.min(1, HEIGHT / sum);
  let top = HEIGHT;
  return heights.map((height) => {
    top -= height * scale;
    return { y: round(top), height: round(height * scale) };
  });
}

const round = (value: number) => Math.round(value * 100) / 100;
