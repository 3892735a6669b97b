/** One text in place of another, in a file of a package's sources. */
export interface Patch {
  /** Below `packages/PACKAGE/src`. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A mistake that others have shipped, or that is as easily made, and the tests that must notice it. */
export interface Bug {
  /** The package that it is put into. Default `runtime`. */
  readonly of?: "hookline";
  readonly name: string;
  /** What goes wrong for the person. */
  readonly says: string;
  readonly patches: readonly Patch[];
  /** The file below the package's tests, and a pattern of the names of its tests. */
  readonly test: { readonly file: string; readonly names: string };
}

/** The folder of the package that a bug is put into. */
export function packageOf({ of }: Bug): string {
  return `packages/${of ?? "runtime"}`;
}
