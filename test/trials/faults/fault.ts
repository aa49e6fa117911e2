/** A mistake that is planted in a copy of the tree: the only occurrence of `original` in `file` becomes `replacement`. */
export interface Fault {
  /** The promise that it breaks, as a sentence. */
  breaks: string;
  /** Relative to the root of the repository. */
  file: string;
  original: string;
  replacement: string;
  /** The test file that has to fail, relative to the root. */
  noticedBy: string;
  /** Whether the conformance suite notices it as well, run in process. */
  byConformance?: boolean;
}
