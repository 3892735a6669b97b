import type { ByteText } from "./bytes.ts";

/**
 * Makes a test for paths from patterns: `*` and `?` within a name, `**` across folders. A pattern without a slash
 * matches a name at any depth; a matching folder includes its contents.
 */
export function matcherOf(patterns: readonly string[]): (path: ByteText) => boolean {
  const tests = patterns.map((pattern) => {
    const bytes = Buffer.from(pattern.replace(/^\.?\//, "").replace(/\/$/, "")).toString("latin1");
    const body = bytes.replaceAll(/\*\*\/?|[*?]|[\\^$.|+()[\]{}]/g, (one) =>
      one === "*" ? "[^/]*" : one === "?" ? "[^/]" : one.startsWith("**") ? ".*" : `\\${one}`,
    );
    return new RegExp(`${pattern.replace(/\/$/, "").includes("/") ? "^" : "(?:^|/)"}${body}(?:/|$)`, "s");
  });
  return (path) => tests.some((test) => test.test(path));
}
