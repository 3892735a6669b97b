/** The syntax of a file, derived from its extension. */
export type Loader = "ts" | "tsx" | "js" | "jsx";

/** One static import of a file. A namespace or bare import has no names. */
export interface Import {
  readonly specifier: string;
  readonly names: readonly string[];
}

/** A source file as a compilable script, with facts that must be known before it runs. */
export interface Transformed {
  /** The script, which is a function expression with the parameters of `wrap`. */
  readonly script: string;
  /** The static imports in source order, including `export … from`. */
  readonly imports: readonly Import[];
  /** The specifiers of literal `require` calls. May contain extra ones; nothing depends on that. */
  readonly requires: readonly string[];
  /** The specifiers of literal `import()` calls. May contain extra ones; nothing depends on that. */
  readonly dynamic: readonly string[];
  /** Whether the file has a top-level await. */
  readonly waits: boolean;
  /** The number to subtract from a line of the script to get its line in the source map; may be negative. */
  readonly shift: number;
}

/** The result of a transformer: the script, and the map back to the source's lines. */
export interface TransformOutput extends Transformed {
  /** The version 3 source map as JSON; empty if there is none. */
  readonly map: string;
}

/** Turns source text into a script. Throws `TransformError` for a syntax error. */
export interface Transformer {
  /** A version that is part of the cache key: it must change whenever the same source yields another script. */
  readonly version: string;
  transform(source: string, loader: Loader): Promise<TransformOutput>;
  /** Ends the transformer's process until the next `transform`. Does nothing while a transform is running. */
  rest?(): Promise<void>;
}

/** The place of a syntax error. Lines and columns are 1-based. */
export class TransformError extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, line: number | undefined, column: number | undefined, cause: unknown) {
    super(message, { cause });
    this.name = "TransformError";
    this.line = line;
    this.column = column;
  }
}

/** Returns the loader for a path, or `undefined` if the file is not code. */
export function loaderOf(path: string): Loader | undefined {
  const match = /\.([cm]?)([tj]s)(x?)$/.exec(path);
  if (match === null || (match[1] !== "" && match[3] !== "")) return undefined;
  return `${match[2]}${match[3]}` as Loader;
}

/** Returns whether importing a file yields its content: JSON, or text as a string. */
export function isData(path: string): boolean {
  return /\.(?:json|txt|md)$/.test(path);
}
