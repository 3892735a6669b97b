import { basename } from "node:path/posix";
import picomatch from "picomatch";

/** Options of a glob. */
export interface GlobOptions {
  readonly ignoreCase?: boolean;
  /** A glob with a slash may start at any folder, not only at the top. */
  readonly anywhere?: boolean;
}

/**
 * Makes a test of paths with forward slashes. A glob without a slash is tested on the name, one with a slash on the
 * whole path; `*` and `?` stop at slashes, `**` does not, hidden names match like any other.
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
  return (path) => matches(whole ? path : basename(path));
}

/** Reduces a glob to what search tools know: groups are plain text, `[!a]` is `[^a]`, `a/**` is not `a` itself. */
function plainSyntax(glob: string): string {
  return glob
    .replaceAll("[!", "[^")
    .replace(/\\.|[()|]/gs, (part) => (part.length > 1 ? part : `\\${part}`))
    .replace(/\/\*\*$/, "/**/*");
}
