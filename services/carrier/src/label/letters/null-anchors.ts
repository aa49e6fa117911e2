import type { Font } from "fontkit";

/** The part of fontkit (2.0) that places the marks of a text. */
interface MarkPlacer {
  applyAnchor(mark: { markAnchor: unknown }, baseAnchor: unknown, baseIndex: number): void;
}

/**
 * Leaves a mark where it is if a rule of the font has no anchor for it, as OpenType requires. Fontkit fails instead
 * (https://github.com/foliojs/fontkit/issues/367), for several Arabic letters even on their own.
 */
export function skipNullAnchors(font: Font): void {
  const { _layoutEngine } = font as unknown as { _layoutEngine: { engine?: { GPOSProcessor?: MarkPlacer } } };
  const placer = _layoutEngine.engine?.GPOSProcessor;
  if (!placer) return;
  const applyAnchor = placer.applyAnchor.bind(placer);
  placer.applyAnchor = (mark, baseAnchor, baseIndex) => {
    if (baseAnchor && mark.markAnchor) applyAnchor(mark, baseAnchor, baseIndex);
  };
}
