/** The syntax of a file, derived from its extension. */
export type Loader = "ts" | "tsx" | "js" | "jsx";

/** One static import of a file. A namespace or bare import has no names. */
export interface Import {
  readonly specifier: string;
  readonly names: readonly string[];
}

/** A source file as a compilable script, with what must be known before it runs. */
export interface Transformed {
  /** A function expression; its parameters are those of `wrap`. */
  readonly script: string;
  /** Static imports in source order, `export … from` included. */
  readonly imports: readonly Import[];
  /** Specifiers of literal `require` calls. May contain extra ones; nothing depends on that. */
  readonly requires: readonly string[];
  /** Specifiers of literal `import()` calls. May contain extra ones; nothing depends on that. */
  readonly dynamic: readonly string[];
  /** True for a file with a top-level await. */
  readonly waits: boolean;
  /** Number of script lines before the first one in the source map; may be negative. */
  readonly shift: number;
}

/** A transformer's result: the script, and the map back to the source's lines. */
export interface TransformOutput extends Transformed {
  /** A version 3 source map as JSON; empty when there is none. */
  readonly map: string;
}

/** Turns source text into a script. Throws `TransformError` for a syntax error. */
export interface Transformer {
  /** Part of the cache key: must change whenever the same source yields another script. */
  readonly version: string;
  transform(source: string, loader: Loader): Promise<TransformOutput>;
  /** Ends its process; the next `transform` starts it again. Does nothing while one is running. */
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

/** The loader for a path, or `undefined` when the file is not code. */
export function loaderOf(path: string): Loader | undefined {
  const match = /\.([cm]?)([tj]s)(x?)$/.exec(path);
  if (match === null || (match[1] !== "" && match[3] !== "")) return undefined;
  return `${match[2]}${match[3]}` as Loader;
}

/** True for files whose import is their content: JSON, and text as a string. */
export function isData(path: string): boolean {
  return /\.(?:json|txt|md)$/.test(path);
}
