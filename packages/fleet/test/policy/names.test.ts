import fc from "fast-check";
import { expect, test } from "vitest";
import { MOST_BUNDLE_BYTES, MOST_FILE_BYTES, pathProblem, requireFiles } from "../../src/policy/names.ts";

const refusal = (refusal: string) => expect.objectContaining({ name: "Refused", refusal });
const files = (...paths: readonly string[]) => paths.map((path) => ({ path, bytes: 1 }));
const check = (...paths: readonly string[]) => requireFiles(files(...paths), "it");

test.each([
  "a.ts",
  "hooks/a.ts",
  ".pi/extensions/a.ts",
  ".hooks/pre-tool.sh",
  "a/b/c/d/e/f",
  "_.ts",
  "node_modules/@scope/name+x/index.js",
  "console.ts",
])("%s is a name", (path) => {
  expect(pathProblem(path)).toBeUndefined();
});

test.each([
  "",
  ".",
  "..",
  "../a",
  "a/../b",
  "a/..",
  "/a",
  "//a",
  "a//b",
  "a/",
  "./a",
  "a\\b",
  "..\\a",
  "C:a",
  "a:b",
  "a\0b",
  "a b",
  "a\n",
  "ä",
  "a\u0301",
  "\u202e",
  "a.",
  "a./b",
  "CON",
  "con.ts",
  "lib/NUL",
  "com1.x.y",
  "~a",
  "PROGRA~1",
  "%2e%2e/a",
  "a".repeat(101),
  `${"a/".repeat(100)}a`,
])("%j is none", (path) => {
  expect(() => check(path)).toThrow(refusal("path"));
});

test.each<[string, readonly string[]]>([
  ["one name twice", ["a.ts", "a.ts"]],
  ["two cases of one name", ["a.ts", "A.ts"]],
  ["two cases of one folder", ["lib/a.ts", "Lib/b.ts"]],
  ["a file and a folder", ["a", "a/b"]],
  ["a folder and a file", ["a/b", "a"]],
  ["a file and a folder of another case", ["a/b", "A"]],
])("%s are refused", (_, paths) => {
  expect(() => check(...paths)).toThrow(refusal("path"));
});

test("sizes have an end", () => {
  requireFiles([{ path: "a", bytes: MOST_FILE_BYTES }], "it");
  expect(() => requireFiles([{ path: "a", bytes: MOST_FILE_BYTES + 1 }], "it")).toThrow(refusal("size"));
  const full = Array.from({ length: 32 }, (_, i) => ({ path: `f${i}`, bytes: MOST_BUNDLE_BYTES / 32 }));
  requireFiles(full, "it");
  expect(() => requireFiles([...full, { path: "one-more", bytes: 1 }], "it")).toThrow(refusal("size"));
  expect(() => check(...Array.from({ length: 1001 }, (_, i) => `f${i}`))).toThrow(refusal("size"));
});

test("names that are taken are apart where case does not count", () => {
  const name = fc.constantFrom("a", "A", "b", "lib", "Lib", "x.ts", "X.ts");
  fc.assert(
    fc.property(fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), (paths) => {
      const joined = paths.map((path) => path.join("/"));
      try {
        check(...joined);
      } catch {
        return;
      }
      const spelt = new Set(
        joined.flatMap((path) => path.split("/").map((_, i, all) => all.slice(0, i + 1).join("/"))),
      );
      expect(new Set([...spelt].map((one) => one.toLowerCase())).size).toBe(spelt.size);
      expect(new Set(joined).size).toBe(joined.length);
    }),
  );
});
