import { globSource } from "@hookline/runtime/command";
import type { ByteText } from "./bytes.ts";

/** Makes a test for paths from globs. One without a slash matches a name at any depth; a folder includes its contents. */
export function matcherOf(patterns: readonly string[]): (path: ByteText) => boolean {
  const tests = patterns.map((pattern) => {
    const bytes = Buffer.from(pattern.replace(/^\.?\//, "").replace(/\/$/, "")).toString("latin1");
    return new RegExp(`${pattern.replace(/\/$/, "").includes("/") ? "^" : "(?:^|/)"}${globSource(bytes)}(?:/|$)`, "s");
  });
  return (path) => tests.some((test) => test.test(path));
}
