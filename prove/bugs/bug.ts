/** A replacement of one text in a source file of a package. */
export interface Patch {
  /** The package that contains the file, if it differs from the bug's. */
  readonly of?: Bug["of"];
  /** Path of the file, relative to `packages/PACKAGE/src`. */
  readonly file: string;
  /** Must occur in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A mistake that others have shipped, or that is as easy to make, and the tests that must detect it. */
export interface Bug {
  /** The package that gets the bug. Default `runtime`. */
  readonly of?: "ground" | "hookline" | "integrations";
  readonly name: string;
  /** Describes what goes wrong for the user. */
  readonly says: string;
  readonly patches: readonly Patch[];
  /** The file in the package's tests, and a pattern for the names of its tests. */
  readonly test: { readonly file: string; readonly names: string };
}

/** Returns the folder of the package that gets a bug. */
export function packageOf(of: Bug["of"]): string {
  return `packages/${of ?? "runtime"}`;
}
