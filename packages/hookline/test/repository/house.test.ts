import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const sources = globSync(["packages/*/src/**/*.ts", "scripts/*.ts"], { cwd: root }).map((path) => {
  const text = readFileSync(join(root, path), "utf8");
  return { path, lines: text.split("\n") };
});

/** The lines of all sources that something is wrong with, as `path:line: text`. */
function wrong(is: (line: string, before: string) => boolean): string[] {
  return sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => (is(line, lines[at - 1] ?? "") ? [`${path}:${at + 1}: ${line}`] : [])),
  );
}

test("no file is longer than 400 lines, and half of them are below 80", () => {
  expect(sources.filter(({ lines }) => lines.length > 400).map(({ path }) => path)).toEqual([]);
  const lengths = sources.map(({ lines }) => lines.length).sort((a, b) => a - b);
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(80);
});

test("a file is named after one idea, in lower case", () => {
  const names = sources.map(({ path }) => path.split("/").at(-1) ?? "");
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(name))).toEqual([]);
  expect(names.filter((name) => /\b(utils?|helpers|common|misc|shared|stuff|types)\b/.test(name))).toEqual([]);
});

test("each export has a docstring", () => {
  const declares = /^export (abstract |async )?(function|class|const|interface|type \w+)\b/;
  // What a module hands on, and the body of an overloaded function, are described where they are declared.
  const isDescribed = (before: string): boolean => before.endsWith("*/") || before.startsWith("export function");
  const bare = wrong((line, before) => declares.test(line) && !isDescribed(before));
  expect(bare.filter((line) => !line.startsWith("packages/runtime/src/transport/process/"))).toEqual([]);
});

test("nothing is a default export, or left for later", () => {
  // The examples that are written for hook authors are modules as their agents want them.
  const ours = wrong((line) => /^export default\b/.test(line)).filter((line) => !line.includes("/cli/starters.ts:"));
  expect(ours).toEqual([]);
  expect(wrong((line) => /\/\/.*\b(TODO|FIXME|XXX|HACK)\b/.test(line))).toEqual([]);
});
