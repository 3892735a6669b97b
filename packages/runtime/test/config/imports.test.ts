import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { loadParser, theParser } from "../../src/command/parser.ts";
import { coverageOf } from "../../src/consent/coverage.ts";
import type { Candidate } from "../../src/dialect/dialect.ts";

let cwd: string;

beforeAll(() => loadParser());

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "hookline-imports-"));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** The files that a command covers in a project that holds these. */
function covered(command: string, files: Readonly<Record<string, string>>): string[] {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const source = { path: join(cwd, "hooks.yaml"), tier: "project", dialect: "jcli", line: 1 } as const;
  const item: Candidate = { lane: "jcli", source, state: "runs", files: [], commands: [command], definition: command };
  return [...coverageOf(item, { cwd, files: systemFiles }, theParser()).files.keys()]
    .map((path) => path.slice(cwd.length + 1))
    .sort();
}

interface Language {
  readonly command: string;
  readonly entry: string;
  /** Texts of the entry, each with the file that it imports. */
  readonly forms: readonly (readonly [text: string, file: string])[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  JavaScript: {
    command: "node tools/g.mjs",
    entry: "tools/g.mjs",
    forms: [
      ['import "./lib.mjs";', "tools/lib.mjs"],
      ["import { a } from './lib.mjs';", "tools/lib.mjs"],
      ['import a,\n  { b } from\n  "./deep/lib.mjs";', "tools/deep/lib.mjs"],
      ['export * from "./lib.mjs";', "tools/lib.mjs"],
      ['await import("./lib.mjs");', "tools/lib.mjs"],
      ["await import(/* later */ `./lib.mjs`);", "tools/lib.mjs"],
      ['require("./lib");', "tools/lib.cjs"],
      ['require("../shared");', "shared/index.js"],
      ['import { createRequire } from "node:module";\ncreateRequire(import.meta.url)("./lib.cjs");', "tools/lib.cjs"],
      ['import rules from "./rules.json" with { type: "json" };', "tools/rules.json"],
      ['new Worker(new URL("./lib.mjs", import.meta.url));', "tools/lib.mjs"],
      ['import { fork } from "node:child_process";\nfork("tools/lib.mjs");', "tools/lib.mjs"],
    ],
  },
  TypeScript: {
    command: "node tools/g.ts",
    entry: "tools/g.ts",
    forms: [
      ['import "./lib.ts";', "tools/lib.ts"],
      ['import { a } from "./lib.js";', "tools/lib.ts"],
      ['import { a } from "./lib";', "tools/lib.ts"],
      ['import lib = require("./lib");', "tools/lib.ts"],
      ['export { a } from "./lib.ts";', "tools/lib.ts"],
      ['import type { A } from "./types.ts";', "tools/types.ts"],
      ['import * as all from "../shared";', "shared/index.ts"],
      ['const { a } = await import("./lib.ts");', "tools/lib.ts"],
      ['import "./view.tsx";', "tools/view.tsx"],
      ['import { a } from "./lib.mts";', "tools/lib.mts"],
    ],
  },
  Python: {
    command: "python3 tools/g.py",
    entry: "tools/g.py",
    forms: [
      ["import helper", "tools/helper.py"],
      ["import os, sys\nimport helper\nimport json", "tools/helper.py"],
      ["import os, helper as h, json", "tools/helper.py"],
      ["from helper import run", "tools/helper.py"],
      ["from os import path\nfrom helper import a\nfrom json import loads", "tools/helper.py"],
      ["from pack import part", "tools/pack/part.py"],
      ["from pack.deep import (\n    one,  # first\n    two,\n)", "tools/pack/deep/two.py"],
      ["import pack.part", "tools/pack/part.py"],
      ["import pack", "tools/pack/__init__.py"],
      ["import importlib\nimportlib.import_module('pack.part')", "tools/pack/part.py"],
      ["__import__('helper')", "tools/helper.py"],
      ["import sys\nsys.path.insert(0, 'lib')\nimport far", "lib/far.py"],
      ["import runpy\nrunpy.run_path('tools/other.py')", "tools/other.py"],
      ["if True:\n    import helper", "tools/helper.py"],
      ["try: import helper\nexcept ImportError: pass", "tools/helper.py"],
    ],
  },
  Ruby: {
    command: "ruby tools/g.rb",
    entry: "tools/g.rb",
    forms: [
      ["require_relative 'lib'", "tools/lib.rb"],
      ['require_relative("lib")', "tools/lib.rb"],
      ["require './tools/lib'", "tools/lib.rb"],
      ["require_relative './deep/lib'", "tools/deep/lib.rb"],
      ["load 'tools/lib.rb'", "tools/lib.rb"],
      ["autoload :Lib, './tools/lib.rb'", "tools/lib.rb"],
      ["$LOAD_PATH.unshift 'lib'\nrequire 'far'", "lib/far.rb"],
      ["require_relative 'lib' if true", "tools/lib.rb"],
      ["system('ruby', 'tools/lib.rb')", "tools/lib.rb"],
      ["load './tools/lib.rb'", "tools/lib.rb"],
    ],
  },
  Perl: {
    command: "perl tools/g.pl",
    entry: "tools/g.pl",
    forms: [
      ["require './tools/lib.pl';", "tools/lib.pl"],
      ["do './tools/lib.pl';", "tools/lib.pl"],
      ["use lib 'lib';\nuse Far;", "lib/Far.pm"],
      ["use lib 'lib';\nuse Far::Away;", "lib/Far/Away.pm"],
      ["use lib 'lib';\nrequire Far::Away;", "lib/Far/Away.pm"],
      ["BEGIN { unshift @INC, 'lib' }\nuse Far qw(one);", "lib/Far.pm"],
      ['require "tools/lib.pl";', "tools/lib.pl"],
      ["do 'tools/lib.pl' or die;", "tools/lib.pl"],
      ["exec 'perl', 'tools/lib.pl';", "tools/lib.pl"],
      ["system('perl tools/lib.pl');", "tools/lib.pl"],
    ],
  },
  Shell: {
    command: "sh tools/g.sh",
    entry: "tools/g.sh",
    forms: [
      [". ./tools/lib", "tools/lib"],
      ["source tools/lib.sh", "tools/lib.sh"],
      ['. "$(dirname "$0")/lib.sh"', "tools/lib.sh"],
      [`. "\${0%/*}/lib.sh"`, "tools/lib.sh"],
      ['DIR=$(cd "$(dirname "$0")" && pwd)\n. "$DIR/lib.sh"', "tools/lib.sh"],
      ["[ -r tools/lib.sh ] && . tools/lib.sh", "tools/lib.sh"],
      ["for f in tools/*.inc; do . $f; done", "tools/a.inc"],
      ['cd "$(git rev-parse --show-toplevel)"\n. tools/lib.sh', "tools/lib.sh"],
      ["exec tools/lib.sh", "tools/lib.sh"],
      ["lib=lib\n. tools/$lib.sh", "tools/lib.sh"],
    ],
  },
};

describe.each(Object.entries(LANGUAGES))("%s", (_name, { command, entry, forms }) => {
  test("there are ten forms and more", () => {
    expect(forms.length).toBeGreaterThanOrEqual(10);
  });

  test.each(forms)("%s", (text, file) => {
    const files = covered(command, {
      [entry]: `${text}\n`,
      [file]: "",
      "tools/unrelated.txt": "",
      "src/unrelated.ts": "",
    });
    expect(files).toContain(file);
    expect(files).not.toContain("src/unrelated.ts");
    expect(files).not.toContain("tools/unrelated.txt");
  });
});

test("a file that comes to shadow a module is covered as soon as it exists", () => {
  expect(covered("python3 tools/g.py", { "tools/g.py": "import json\n" })).toEqual(["tools/g.py"]);
  expect(covered("python3 tools/g.py", { "tools/json.py": "" })).toEqual(["tools/g.py", "tools/json.py"]);
});

test("a package of the same project is followed, and a lock file stands for one that is installed", () => {
  expect(
    covered("node tools/g.mjs", {
      "tools/g.mjs": 'import "pack";\n',
      "node_modules/pack/index.js": "",
      "package-lock.json": "{}",
    }),
  ).toEqual(["package-lock.json", "tools/g.mjs"]);
});

test("data that is named is not covered", () => {
  expect(
    covered("sh tools/g.sh", { "tools/g.sh": "cat README.md\n", "README.md": "see src/a.ts\n", "src/a.ts": "" }),
  ).toEqual(["tools/g.sh"]);
});

describe("what is over a limit is open", () => {
  const closure = (command: string, files: Readonly<Record<string, string>>) => {
    covered(command, files);
    const source = { path: join(cwd, "hooks.yaml"), tier: "project", dialect: "jcli", line: 1 } as const;
    return coverageOf(
      { lane: "jcli", source, state: "runs", files: [], commands: [command], definition: "" },
      { cwd, files: systemFiles },
      theParser(),
    );
  };

  test("more than 2,000 files", () => {
    const many = Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`many/${at}.sh`, ""]));
    expect(closure("for f in many/*.sh; do . $f; done", many).open[0]?.why).toMatch(/more than 2000 files/);
  });

  test("more than 16 MiB", () => {
    expect(closure("sh big.sh", { "big.sh": `#${"x".repeat(17 * 1024 * 1024)}` }).open[0]?.why).toMatch(/16 MiB/);
  });
});
