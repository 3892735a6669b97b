import { basename } from "node:path/posix";
import picomatch from "picomatch";
import { timed } from "./timed.ts";

/** Time limit for all slow comparisons with one glob together, in ms. */
const LIMIT_MS = 2000;
/** A comparison that can try at most this many ways takes about 10 ms, so it needs no time limit. */
const FEW_WAYS = 1e6;

/** Says how a glob is compared with paths. */
export interface GlobOptions {
  readonly ignoreCase?: boolean;
  /** Whether a glob with a slash may match from any folder on, not only from the top. */
  readonly anywhere?: boolean;
  /** Whether to throw for a name whose comparison takes too long. */
  readonly limited?: boolean;
}

/**
 * Returns a function that reports whether a path with forward slashes matches. A glob without a slash is compared with
 * the name, a glob with a slash with the whole path. `*` and `?` stop at slashes, `**` does not. Hidden names match
 * like all others.
 */
export function globMatcher(glob: string, options: GlobOptions = {}): (path: string) => boolean {
  const wanted = glob.replace(/^(\.\/)+/, "");
  const whole = wanted.includes("/");
  const anchored = wanted.startsWith("/") || wanted.startsWith("**/") || options.anywhere !== true;
  const pattern = plainSyntax(whole && !anchored ? `**/${wanted}` : wanted);
  if (pattern === "") return () => false;
  const matches = picomatch(pattern, {
    dot: true,
    nonegate: true,
    noextglob: true,
    nocase: options.ignoreCase === true,
  });
  const test = (path: string): boolean => matches(whole ? path : basename(path));
  return options.limited === true ? limited(glob, test) : test;
}

/** Returns a function like `test` that throws once its slow comparisons have taken {@link LIMIT_MS} together. */
function limited(glob: string, test: (path: string) => boolean): (path: string) => boolean {
  const wildcards = Math.max(...glob.split("/").map((part) => part.split(/[*{]/).length - 1));
  const within = timed(LIMIT_MS, test);
  return (path) => {
    const found = waysOf(path.length, wildcards) <= FEW_WAYS ? test(path) : within(path);
    if (found !== undefined) return found;
    throw new Error(`The glob ${glob} takes too long on ${path}. Use fewer wildcards between two slashes.`);
  };
}

/** Returns in how many ways wildcards can divide a name. A slow comparison tries all of them. */
function waysOf(length: number, wildcards: number): number {
  let ways = 1;
  for (let i = 1; i <= wildcards; i++) ways *= (length + i) / i;
  return ways;
}

/** Reduces a glob to what search tools support: `(a|b)` is plain text, `[!a]` is `[^a]`, `a/**` does not match `a`. */
function plainSyntax(glob: string): string {
  return glob
    .replaceAll("[!", "[^")
    .replace(/\\.|[()|]/gs, (part) => (part.length > 1 ? part : `\\${part}`))
    .replace(/\/\*\*$/, "/**/*");
}
