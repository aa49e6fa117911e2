import type { Font } from "fontkit";

/** What places the marks of a text, as fontkit (2.0) has it inside. */
interface MarkPlacer {
  /** Whether the rule had a place for the glyph. If not, the next one is asked. */
  applyLookup(lookupType: number, rule: unknown): boolean;
  applyAnchor(mark: { markAnchor: unknown }, baseAnchor: unknown, baseIndex: number): void;
}

/**
 * Makes rules that have no anchor for a letter and its mark pass them on to the next rule, as OpenType wants it and HarfBuzz does. Fontkit fails
 * instead (https://github.com/foliojs/fontkit/issues/367), with several Arabic letters even where they stand alone.
 */
export function skipNullAnchors(font: Font): void {
  const { _layoutEngine } = font as unknown as { _layoutEngine: { engine?: { GPOSProcessor?: MarkPlacer } } };
  const placer = _layoutEngine.engine?.GPOSProcessor;
  if (!placer) return;
  const applyLookup = placer.applyLookup.bind(placer);
  const applyAnchor = placer.applyAnchor.bind(placer);
  let isMissing = false;
  placer.applyAnchor = (mark, baseAnchor, baseIndex) => {
    isMissing = !baseAnchor || !mark.markAnchor;
    if (!isMissing) applyAnchor(mark, baseAnchor, baseIndex);
  };
  // Reset after each rule, since a rule may apply others.
  placer.applyLookup = (lookupType, rule) => {
    const isApplied = applyLookup(lookupType, rule) && !isMissing;
    isMissing = false;
    return isApplied;
  };
}
