/** One text in place of another, in a file of the runtime's sources. */
export interface Patch {
  /** Below `packages/runtime/src`. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A mistake that others have shipped, or that is as easily made, and the tests that must notice it. */
export interface Bug {
  readonly name: string;
  /** What goes wrong for the person. */
  readonly says: string;
  readonly patches: readonly Patch[];
  /** The file below `packages/runtime/test`, and a pattern of the names of its tests. */
  readonly test: { readonly file: string; readonly names: string };
}
