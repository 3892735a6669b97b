import { globSource } from "@hookline/runtime/command";
import type { ByteText } from "./bytes.ts";

/** Makes a test for paths from globs. One without a slash matches a name at any depth; a folder includes its contents. */
export function matcherOf(patterns: readonly string[]): (path: ByteText) => boolean {
  const tests = patterns.map((pattern) => {
    const plain = pattern.replace(/\/$/, "");
    return new RegExp(
      `${plain.includes("/") ? "^" : "(?:^|/)"}${globSource(plain.replace(/^\.?\//, ""))}(?:/|$)`,
      "su",
    );
  });
  return (path) => {
    const text = /[\x80-\xff]/.test(path) ? Buffer.from(path, "latin1").toString() : path;
    return tests.some((test) => test.test(text));
  };
}
