import { describe, expect, test } from "vitest";
import { globMatch } from "../../../runtime/src/dialect/glob.ts";
import { dialectOfModule, type Given } from "../../src/in-process/explicit.ts";
import { importsOf, readText } from "../../src/in-process/module-text.ts";

describe("the imports of a source text", () => {
  test.each([
    [`import a from "one";`, ["one"]],
    [`import type { A } from 'two'; import "three";`, ["two", "three"]],
    [`export * from "four"; export { a } from "five"`, ["four", "five"]],
    [`const a = await import("six"); const b = require('seven');`, ["six", "seven"]],
    [`import {\n  a,\n  b,\n} from "eight";`, ["eight"]],
    [`// import a from "no"\n/* import b from "no" */ import c from "nine";`, ["nine"]],
    [`const s = "import x from 'no'"; const t = \`from "no"\`; f("no");`, []],
    [`const from = "no"; const x = { import: "no" };`, []],
    [`import a from "ten"; // https://example.com "x"\nimport b from "eleven";`, ["ten", "eleven"]],
    [`import(\`computed\${x}\`); import(\`plain\`)`, ["plain"]],
    ["", []],
  ])("%j", (source, specifiers) => {
    expect(importsOf(source).code).toEqual(specifiers);
  });

  test("types in comments are distinguished", () => {
    const source = `/** @param {import("@oh-my-pi/pi-coding-agent/hooks").HookAPI} pi */\nexport default (pi) => {};`;
    expect(importsOf(source)).toEqual({ code: [], comments: ["@oh-my-pi/pi-coding-agent/hooks"] });
  });
});

describe("the dialect of a module", () => {
  const cases: readonly (readonly [source: string, given: Given, dialect: string])[] = [
    [`import type { X } from "@oh-my-pi/pi-coding-agent";`, "extension", "omp"],
    [`import { X } from "@mariozechner/pi-ai";`, "hook", "pi"],
    [`import { X } from "@earendil-works/pi-tui";`, "folder", "pi"],
    [`import fs from "fs";`, "extension", "pi"],
    [`import fs from "fs";`, "folder", "pi"],
    [`import fs from "fs";`, "hook", "omp"],
    [`// from "@oh-my-pi/x"\nexport default 1;`, "extension", "pi"],
    [`/** @type {import("@oh-my-pi/x").Y} */`, "extension", "omp"],
    [`/** @type {import("@oh-my-pi/x").Y} */ import "@mariozechner/pi-ai";`, "extension", "pi"],
    [`import a from "@mariozechner/pi-ai"; import b from "@oh-my-pi/x";`, "hook", "pi"],
    ["", "hook", "omp"],
  ];
  test.each(cases)("%j, given by %s, is %s", (source, given, dialect) => {
    const belonging = dialectOfModule(readText(new TextEncoder().encode(source)), given);
    expect(belonging.dialect).toBe(dialect);
    expect(belonging.why.startsWith(`${dialect}: `)).toBe(true);
  });
});

describe("patterns", () => {
  test.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "d/a.ts", false],
    ["**/*.ts", "d/e/a.ts", true],
    ["**/*.ts", "a.ts", true],
    ["d/**", "d/e/f", true],
    ["./d/?.ts", "d/a.ts", true],
    ["d/?.ts", "d/ab.ts", false],
    ["a+b(c).ts", "a+b(c).ts", true],
    ["a.ts", "axts", false],
  ])("%s on %s is %s", (pattern, path, fits) => {
    expect(globMatch(pattern, path)).toBe(fits);
  });
});
