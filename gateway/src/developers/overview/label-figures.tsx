import { type LabelsMade, MAX_LABELS } from "./read-overview.js";

/** How many labels were made lately. */
export function LabelFigures({ base, labels }: { base: string; labels: LabelsMade }) {
  return (
    <>
      <h2>Labels created</h2>
      <dl class="figures">
        <div>
          <dt>Last 24 hours</dt>
          <dd>{inWords(labels.lastDay)}</dd>
        </div>
        <div>
          <dt>Last 30 days</dt>
          <dd>{inWords(labels.lastMonth)}</dd>
        </div>
      </dl>
      <p>
        <a href={`${base}/labels`}>All labels</a>
      </p>
    </>
  );
}

function inWords(count: number): string {
  return count > MAX_LABELS ? `more than ${MAX_LABELS.toLocaleString("en")}` : count.toLocaleString("en");
}
