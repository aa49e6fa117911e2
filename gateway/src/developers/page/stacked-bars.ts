/** How high a chart is, in units of its own. */
export const HEIGHT = 100;

/** The least height of a layer, so that a small count stays visible beside a large one. */
const MIN_HEIGHT = 2;

/** Where the parts of a bar stand. No part that is there is thinner than can be seen, and no bar is higher than the chart. */
export function stack(counts: readonly number[], most: number): { y: number; height: number }[] {
  const heights = counts.map((count) => (count === 0 ? 0 : Math.max(MIN_HEIGHT, (count / most) * HEIGHT)));
  const sum = heights.reduce((one, other) => one + other, 0);
  const scale = Math.min(1, HEIGHT / sum);
  let top = HEIGHT;
  return heights.map((height) => {
    top -= height * scale;
    return { y: rounded(top), height: rounded(height * scale) };
  });
}

const rounded = (value: number) => Math.round(value * 100) / 100;
