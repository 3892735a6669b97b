import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { approvalOf, Project } from "../../../runtime/test/config/kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
  project.write(".git/HEAD", "ref: refs/heads/main\n");
});

afterEach(() => project.remove());

interface Case {
  /** The command of a hook of Claude's settings, and the settings' `env`. */
  readonly run: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly covered?: readonly string[];
  /** Files that no answer but this test's may name. */
  readonly open?: RegExp;
  readonly data?: readonly string[];
  /** Files that are not covered. */
  readonly not?: readonly string[];
}

/** Each shape of the findings and of the rule, with the answer that the approval gives. */
const CASES: Readonly<Record<string, Case>> = {
  // Texts that a program's code passes to a shell.
  "a shell's text with a value in it": {
    run: "node tools/g.cjs",
    files: {
      "tools/g.cjs":
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a program's own template
        'const { execSync } = require("child_process");\nexecSync(`echo ${1} | nc -U "${process.argv[2]}"; sh tools/a.sh`);\n',
      "tools/a.sh": "",
    },
    covered: ["tools/g.cjs", "tools/a.sh"],
  },
  "a formatted text of Python": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import os\nos.system(f'sh tools/a.sh {1}')\n", "tools/a.sh": "" },
    covered: ["tools/g.py", "tools/a.sh"],
  },
  "a shell's text with a value for its program": {
    run: "node tools/g.cjs",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a program's own template
    files: { "tools/g.cjs": 'require("child_process").execSync(`${process.argv[2]} a`);\n' },
    covered: ["tools/g.cjs"],
    open: /computes what it starts/,
  },
  "quotes in a pattern of JavaScript": {
    run: "node tools/g.cjs",
    files: { "tools/g.cjs": "if (/[$`]/.test(process.argv[2]) || /\\$\\(|`/.test('')) process.exit(2);\n" },
    covered: ["tools/g.cjs"],
  },
  "a PATH that the person's shell prints": {
    run: `export PATH="$($SHELL -lc 'echo $PATH' 2>/dev/null):$PATH"; sh tools/a.sh`,
    files: { "tools/a.sh": "" },
    covered: ["tools/a.sh"],
  },
  "a package whose map leads to nothing": {
    run: "node tools/g.cjs",
    files: {
      "tools/g.cjs": 'try { require("own/rule"); } catch {}\n',
      "package.json": '{"name":"own","exports":{"./rule":"./gone.js"}}\n',
    },
    covered: ["tools/g.cjs", "package.json"],
  },
  // Variables that make programs load code.
  "BASH_ENV of the settings": {
    run: "true; : > ok",
    env: { BASH_ENV: "tools/env.sh" },
    files: { "tools/env.sh": "" },
    covered: ["tools/env.sh"],
  },
  "NODE_OPTIONS of the settings": {
    run: "node -e 1",
    env: { NODE_OPTIONS: "--require ./tools/r.cjs" },
    files: { "tools/r.cjs": "" },
    covered: ["tools/r.cjs"],
  },
  "a relative PATH of the settings": {
    run: "cat > /dev/null",
    env: { PATH: "./bin:/usr/bin:/bin" },
    files: { "bin/cat": "" },
    covered: ["bin/cat"],
  },
  "PYTHONPATH in front of the command": {
    run: "PYTHONPATH=lib python3 -c 'import helper'",
    files: { "lib/helper.py": "" },
    covered: ["lib/helper.py"],
  },
  "PERL5LIB of the settings": {
    run: "perl -MGg -e 1",
    env: { PERL5LIB: "lib" },
    files: { "lib/Gg.pm": "" },
    covered: ["lib/Gg.pm"],
  },
  "RUBYOPT of the settings": {
    run: "ruby -e 1",
    env: { RUBYOPT: "-r./tools/r.rb" },
    files: { "tools/r.rb": "" },
    covered: ["tools/r.rb"],
  },
  "a folder of modules that is found from the script by names": {
    run: "python3 tools/hooks/g.py",
    files: {
      "tools/hooks/g.py":
        "import sys\nfrom pathlib import Path\nHERE = Path(__file__).resolve().parent\nROOT = HERE.parent\nsys.path.insert(0, str(ROOT / 'lib'))\nimport far\n",
      "tools/lib/far.py": "",
    },
    covered: ["tools/hooks/g.py", "tools/lib/far.py"],
  },
  "a folder of modules that a variable of the environment names": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import os, sys\nROOT = os.environ['X']\nsys.path.insert(0, ROOT)\n" },
    covered: ["tools/g.py"],
    open: /^sys\.path\.insert\(0, ROOT\) computes where/,
  },
  "a computed loader variable": { run: 'NODE_OPTIONS="$X" node -e 1', open: /computes what programs load/ },
  "an exported BASH_ENV": {
    run: "export BASH_ENV=tools/env.sh; bash -c :",
    files: { "tools/env.sh": "" },
    covered: ["tools/env.sh"],
  },
  // Packages and modules.
  "node .": {
    run: "node .",
    files: { "package.json": '{"main":"lib/m.cjs"}', "lib/m.cjs": "" },
    covered: ["lib/m.cjs"],
  },
  "node and an import of package.json": {
    run: "node tools/g.mjs",
    files: { "tools/g.mjs": 'import "#lib";', "package.json": '{"imports":{"#lib":"./lib/a.mjs"}}', "lib/a.mjs": "" },
    covered: ["tools/g.mjs", "lib/a.mjs"],
  },
  "node and the own name of a package": {
    run: "node tools/g.mjs",
    files: {
      "tools/g.mjs": 'import "own/part";',
      "package.json": '{"name":"own","exports":{"./*":"./src/*.mjs"}}',
      "src/part.mjs": "",
    },
    covered: ["src/part.mjs"],
  },
  "node --run": {
    run: "node --run guard",
    files: { "package.json": '{"scripts":{"guard":"sh tools/g.sh"}}', "tools/g.sh": "" },
    covered: ["package.json", "tools/g.sh"],
  },
  "node --import": {
    run: "node --import=./tools/r.mjs tools/g.mjs",
    files: { "tools/r.mjs": "", "tools/g.mjs": "" },
    covered: ["tools/r.mjs", "tools/g.mjs"],
  },
  "node --env-file": {
    run: "node --env-file=.env tools/g.mjs",
    files: { ".env": "A=1\n", "tools/g.mjs": "" },
    covered: [".env", "tools/g.mjs"],
  },
  "node --test": { run: "node --test", open: /runs the tests that it finds/ },
  "python3 -m unittest": { run: "python3 -m unittest", files: { "test_a.py": "" }, open: /runs code of the project/ },
  "python3 -m of a package": {
    run: "python3 -m pkg.tool",
    files: { "pkg/__init__.py": "", "pkg/tool.py": "" },
    covered: ["pkg/__init__.py", "pkg/tool.py"],
  },
  "python3 -m of a namespace package": {
    run: "python3 -m pkg",
    files: { "pkg/__main__.py": "import pkg.deep.one\n", "pkg/deep/one.py": "" },
    covered: ["pkg/__main__.py", "pkg/deep/one.py"],
  },
  "python3 -m of nothing": { run: "python3 -m nosuch", open: /not found in the project/ },
  "packages on the way of a Python import": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import pkg.deep\n", "tools/pkg/__init__.py": "", "tools/pkg/deep.py": "" },
    covered: ["tools/pkg/__init__.py", "tools/pkg/deep.py"],
  },
  "perl -I and -M": { run: "perl -Itools -MGuard -e 1", files: { "tools/Guard.pm": "" }, covered: ["tools/Guard.pm"] },
  "perl that requires by its own folder": {
    run: "perl tools/g.pl",
    files: { "tools/g.pl": 'require "$FindBin::Bin/../lib/g.pl";\n', "lib/g.pl": "" },
    covered: ["lib/g.pl"],
  },
  // Ways to hand a program to an interpreter.
  "a redirection": {
    run: "bash < lib/g.sh",
    files: { "lib/g.sh": ". lib/x.sh\n", "lib/x.sh": "" },
    covered: ["lib/g.sh", "lib/x.sh"],
  },
  "a redirection to Python": { run: "python3 < lib/g.py", files: { "lib/g.py": "" }, covered: ["lib/g.py"] },
  "a pipe from cat": { run: "cat lib/g.sh | bash", files: { "lib/g.sh": "" }, covered: ["lib/g.sh"] },
  "a pipe from cat to Python": { run: "cat lib/g.py | python3 -", files: { "lib/g.py": "" }, covered: ["lib/g.py"] },
  "awk -f": { run: "awk -f tools/g.awk", files: { "tools/g.awk": "{ print }" }, covered: ["tools/g.awk"] },
  "sed --file": { run: "sed --file=tools/g.sed", files: { "tools/g.sed": "p" }, covered: ["tools/g.sed"] },
  "jq -f": { run: "jq -f tools/g.jq", files: { "tools/g.jq": "." }, covered: ["tools/g.jq"] },
  "a here-document for Python": {
    run: "python3 - <<'E'\nimport helper\nE",
    files: { "helper.py": "" },
    covered: ["helper.py"],
  },
  "a pattern that looks like a tagged command": {
    run: "node tools/g.mjs",
    files: { "tools/g.mjs": "const safe = (s) => '\"' + s.replace(/([\"\\\\$`])/g, 'x') + '\"';\n" },
    covered: ["tools/g.mjs"],
  },
  "a tagged command": {
    run: "node tools/g.mjs",
    files: { "tools/g.mjs": "const out = await $`sh tools/g.sh`;\n", "tools/g.sh": "" },
    covered: ["tools/g.mjs", "tools/g.sh"],
  },
  "the words of a script": {
    run: "sh tools/with.sh tools/g.py",
    files: {
      "tools/with.sh": 'for p in python3 python; do command -v $p && exec python3 "$@"; done\n',
      "tools/g.py": "import helper\n",
      "tools/helper.py": "",
    },
    covered: ["tools/with.sh", "tools/g.py", "tools/helper.py"],
  },
  "the words of a script that is started twice": {
    run: "sh tools/with.sh tools/a.sh && sh tools/with.sh tools/b.sh",
    files: { "tools/with.sh": 'sh "$1"\n', "tools/a.sh": "", "tools/b.sh": ". tools/c.sh\n", "tools/c.sh": "" },
    covered: ["tools/a.sh", "tools/b.sh", "tools/c.sh"],
  },
  "words that a script changes": {
    run: "sh tools/with.sh tools/g.py",
    files: { "tools/with.sh": 'set -- "$(cat x)"\npython3 "$@"\npython "$@"\n', "tools/g.py": "" },
    open: /^"\$@" computes what it starts[^\n]*$/,
  },
  "words that are not known": {
    run: 'sh tools/with.sh "$(cat x)"',
    files: { "tools/with.sh": 'sh "$1"\n' },
    open: /computes what it starts/,
  },
  "env -S": { run: "env -S 'node tools/g.mjs'", files: { "tools/g.mjs": "" }, covered: ["tools/g.mjs"] },
  "env -C": { run: "env -C tools sh g.sh", files: { "tools/g.sh": "" }, covered: ["tools/g.sh"] },
  "cd before a relative name": { run: "cd tools && sh g.sh", files: { "tools/g.sh": "" }, covered: ["tools/g.sh"] },
  "a first line with arguments": {
    run: "tools/g",
    files: { "tools/g": "#!/usr/bin/env -S node --require ./tools/x.cjs\n", "tools/x.cjs": "" },
    covered: ["tools/g", "tools/x.cjs"],
  },
  "find -exec": {
    run: "find tools -name g.sh -exec sh {} ';'",
    files: { "tools/g.sh": "" },
    open: /computes what it starts/,
  },
  "find -exec of a script": {
    run: "find . -name x -exec tools/g.sh {} ';'",
    files: { "tools/g.sh": "" },
    covered: ["tools/g.sh"],
  },
  xargs: { run: "echo a | xargs tools/g.sh", files: { "tools/g.sh": "" }, covered: ["tools/g.sh"] },
  "a program behind programs": {
    run: "timeout 5 nice -n 1 sh tools/g.sh",
    files: { "tools/g.sh": "" },
    covered: ["tools/g.sh"],
  },
  "an interpreter without a program": { run: "python3", open: /runs what it is sent/ },
  "a program from the network": { run: "curl -s https://example.org | sh", open: /passes sh commands on its input/ },
  "a script that changes its folder": {
    run: "sh tools/g.sh",
    files: { "tools/g.sh": "cd lib\n. ./x.sh\n", "lib/x.sh": "" },
    covered: ["lib/x.sh"],
  },
  "a script that sources beside itself": {
    run: "sh tools/g.sh",
    files: { "tools/g.sh": '. "$(dirname "$0")/x.sh"\n', "tools/x.sh": "" },
    covered: ["tools/x.sh"],
  },
  "ZDOTDIR of the settings": {
    run: "zsh -c :",
    env: { ZDOTDIR: "tools" },
    files: { "tools/.zshenv": "" },
    covered: ["tools/.zshenv"],
  },
  "GIT_CONFIG_GLOBAL of the settings": {
    run: "git status",
    env: { GIT_CONFIG_GLOBAL: "tools/gitconfig" },
    files: { "tools/gitconfig": "" },
    covered: ["tools/gitconfig"],
  },
  NODE_PATH: {
    run: "NODE_PATH=lib node tools/g.cjs",
    files: { "tools/g.cjs": 'require("far")', "lib/far.js": "" },
    covered: ["lib/far.js"],
  },
  "paths of a tsconfig.json": {
    run: "tsx tools/g.ts",
    files: {
      "tools/g.ts": 'import "@/x";',
      "tsconfig.json": '{"compilerOptions":{"paths":{"@/*":["./src/*"], // all\n}}}',
      "src/x.ts": "",
    },
    covered: ["src/x.ts"],
  },
  "java -jar": { run: "java -jar lib/g.jar", files: { "lib/g.jar": "PK" }, covered: ["lib/g.jar"] },
  "awk with a computed command": { run: "awk -v x=1 '{ system($1) }'", open: /computes what it starts/ },
  "sed that runs its lines": { run: "sed 's/x/y/e'", open: /runs what it reads as a command/ },
  "bun and its preloads": {
    run: "bun tools/g.ts",
    files: { "tools/g.ts": "", "bunfig.toml": "" },
    covered: ["tools/g.ts"],
    open: /runs what bunfig\.toml says/,
  },
  "python3 -c in another folder": {
    run: "cd lib && python3 -c 'import subprocess'",
    files: { "lib/selectors.py": "" },
    covered: ["lib/selectors.py"],
  },
  "a worker by a path": {
    run: "node tools/g.mjs",
    files: { "tools/g.mjs": "new Worker('./tools/w.js')", "tools/w.js": "" },
    covered: ["tools/w.js"],
  },
  "node -r without an ending": {
    run: "node -r ./tools/r tools/g.js",
    files: { "tools/r.js": "", "tools/g.js": "" },
    covered: ["tools/r.js"],
  },
  "subprocess under another name": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import subprocess as sp\nsp.run(['sh', 'tools/x.sh'])\n", "tools/x.sh": "" },
    covered: ["tools/x.sh"],
  },
  "run from subprocess": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "from subprocess import run\nrun(['sh', 'tools/x.sh'])\n", "tools/x.sh": "" },
    covered: ["tools/x.sh"],
  },
  "os.execv": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import os\nos.execv('/bin/sh', ['sh', 'tools/x.sh'])\n", "tools/x.sh": "" },
    covered: ["tools/x.sh"],
  },
  "PHP beside itself": {
    run: "php tools/g.php",
    files: { "tools/g.php": "<?php require __DIR__ . '/x.php';", "tools/x.php": "" },
    covered: ["tools/x.php"],
  },
  "parallel :::": { run: "parallel sh ::: tools/a.sh", files: { "tools/a.sh": "" }, covered: ["tools/a.sh"] },
  "run-parts": { run: "run-parts tools/d", files: { "tools/d/a": "#!/bin/sh\n" }, open: /runs what is in a folder/ },
  "code on the input of an unknown program": {
    run: "guardian < rules.rb",
    files: { "rules.rb": "" },
    open: /hands rules\.rb to guardian/,
  },
  stylelint: {
    run: "stylelint '**/*.css'",
    files: { ".stylelintrc.js": "" },
    open: /runs what \.stylelintrc\.js says/,
  },
  "git with other hooks": {
    run: "git -c core.hooksPath=hooks commit -m x",
    files: { "hooks/pre-commit": "" },
    open: /runs the hooks in hooks/,
  },
  // Modules that nobody names.
  "a module that Python itself would load": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import subprocess\n", "tools/selectors.py": "" },
    covered: ["tools/selectors.py"],
  },
  "a module beside python3 -c": { run: 'python3 -c "import json"', files: { "json.py": "" }, covered: ["json.py"] },
  // Programs that run configuration.
  "npm run": {
    run: "npm run lint",
    files: { "package.json": '{"scripts":{"lint":"eslint ."}}', ".npmrc": "" },
    open: /npm run lint .*runs what package\.json, \.npmrc says; .*--bind package\.json --bind \.npmrc/,
  },
  make: { run: "make guard", files: { Makefile: "guard:\n\tsh g.sh\n" }, open: /runs what Makefile says/ },
  eslint: { run: "eslint .", files: { "eslint.config.js": "" }, open: /runs what eslint\.config\.js says/ },
  prettier: { run: "prettier --check .", files: { ".prettierrc": "{}" }, open: /runs what \.prettierrc says/ },
  "prettier without a configuration": { run: "prettier --check src", files: { "src/a.ts": "" }, data: ["src"] },
  pytest: { run: "pytest -q", open: /runs code of the project/ },
  "uv in a project of its own": {
    run: "uv run tools/g.py",
    files: { "pyproject.toml": "", "tools/g.py": "" },
    covered: ["tools/g.py"],
    open: /runs what pyproject\.toml says/,
  },
  "a script for uv": {
    run: "uv run --script tools/g.py",
    files: {
      "tools/g.py": "#!/usr/bin/env -S uv run --script\nimport json, sys\nimport helper\njson.load(sys.stdin)\n",
      "tools/helper.py": "",
    },
    covered: ["tools/g.py", "tools/helper.py"],
  },
  cargo: { run: "cargo test", open: /runs code of the project/ },
  git: {
    run: "git status",
    files: { ".git/config": "[core]\n\tfsmonitor = ./tools/evil\n" },
    covered: [".git/config"],
  },
  "git and its hooks": {
    run: "git commit -m x",
    files: { ".git/hooks/pre-commit": "" },
    open: /runs the hooks in \.git\/hooks/,
  },
  // Files that are handed on, and data.
  "code for an unknown program": {
    run: "guardian rules.rb",
    files: { "rules.rb": "" },
    open: /hands rules\.rb to guardian/,
    not: ["rules.rb"],
  },
  "data for an unknown program": { run: "guardian rules.txt", files: { "rules.txt": "" }, data: ["rules.txt"] },
  "a denylist": {
    run: "grep -qf config/denylist.txt",
    files: { "config/denylist.txt": "rm" },
    data: ["config/denylist.txt"],
    not: ["config/denylist.txt"],
  },
  "data that Python reads": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": 'open("config/deny.txt")\n', "config/deny.txt": "" },
    covered: ["tools/g.py"],
    data: ["config/deny.txt"],
  },
  "a name that is only compared": {
    run: "python3 .claude/hooks/protect.py",
    files: {
      ".claude/hooks/protect.py": 'p = "x"\nif p.endswith("package-lock.json") or ".env" in p: exit(2)\n',
      "package-lock.json": "{}",
      ".env": "KEY=secret\n",
    },
    covered: [".claude/hooks/protect.py"],
    data: [".env", "package-lock.json"],
    not: [".env", "package-lock.json"],
  },
  "an environment that is sourced": { run: "source .env; echo", files: { ".env": "A=1\n" }, covered: [".env"] },
  "an ignored file that is started": {
    run: "sh tools/g.sh",
    files: { ".gitignore": "tools/\n", "tools/g.sh": "" },
    covered: ["tools/g.sh"],
  },
  "a workspace link": {
    run: "node tools/g.mjs",
    files: {
      "tools/g.mjs": 'import "pack";',
      "packages/pack/package.json": '{"main":"m.js"}',
      "packages/pack/m.js": "",
    },
    links: { "node_modules/pack": "../packages/pack" },
    covered: ["packages/pack/m.js"],
  },
  "an installed package": {
    run: "node tools/g.mjs",
    files: { "tools/g.mjs": 'import "pack";', "node_modules/pack/index.js": "", "package-lock.json": "{}" },
    covered: ["package-lock.json"],
    not: ["node_modules/pack/index.js"],
  },
  "a hooks' folder": {
    run: "sh .claude/hooks/a.sh",
    files: {
      ".claude/hooks/a.sh": "",
      ".claude/hooks/lib/b.py": "",
      ".claude/hooks/run.log": "",
      ".claude/hooks/tool": "#!/bin/sh\n",
      ".claude/settings.local.json": "{}",
    },
    covered: [".claude/hooks/a.sh", ".claude/hooks/lib/b.py", ".claude/hooks/tool"],
    not: [".claude/hooks/run.log"],
  },
  "a compiled module in the way of its source": {
    run: "python3 tools/g.py",
    files: { "tools/g.py": "import helper\n", "tools/helper.py": "", "tools/helper.pyc": "x" },
    covered: ["tools/helper.py", "tools/helper.pyc"],
  },
};

function lay({ run, env, files = {}, links = {} }: Case): void {
  for (const [path, text] of Object.entries(files)) project.write(path, text, "x");
  for (const [path, target] of Object.entries(links)) {
    project.write(`${path}.x`, "");
    symlinkSync(target, project.path(path));
  }
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: run }] }] };
  project.write(".claude/settings.json", JSON.stringify({ ...(env && { env }), hooks }, null, 2));
}

async function answers(): Promise<{ covered: string[]; open: string[]; data: string[] }> {
  await using opened = await project.open("trust", true);
  const [review] = (await opened.session.review()).filter(({ candidate }) => candidate.kind === undefined);
  if (review === undefined) throw new Error("there is no hook");
  const name = (path: string): string => path.slice(project.cwd.length + 1);
  return {
    covered: review.print.files.map(({ path }) => name(path)),
    open: review.open.map(
      ({ piece, why, bind = [] }) => `${piece} ${why}; ${bind.map((one) => `--bind ${name(one)}`).join(" ")}`,
    ),
    data: review.data.map(({ file }) => name(file)),
  };
}

describe("what the approval says of", () => {
  test.each(Object.entries(CASES))("%s", async (_name, one) => {
    lay(one);
    const { covered, open, data } = await answers();
    expect(covered).toEqual(expect.arrayContaining([...(one.covered ?? [])]));
    if (one.open === undefined) expect(open).toEqual([]);
    else expect(open.join("\n")).toMatch(one.open);
    expect(data).toEqual(expect.arrayContaining([...(one.data ?? [])]));
    for (const path of one.not ?? []) expect(covered).not.toContain(path);
  });
});

describe("a person's own hook", () => {
  const settings = (command: string): void =>
    project.write(
      "~/.claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } }, null, 2),
    );
  const state = async (): Promise<string | undefined> => {
    await using opened = await project.open();
    return opened.session.report.sources.find(({ tier }) => tier === "user")?.state;
  };

  test("that starts code of the project waits for that code's approval, and not for its own", async () => {
    settings('"$CLAUDE_PROJECT_DIR"/.claude/hooks/lint.sh');
    project.write(".claude/hooks/lint.sh", "#!/bin/sh\n", "x");
    expect(await state()).toBe("untrusted");
    await project.approve();
    expect(await state()).toBe("runs");
    settings('timeout 9 "$CLAUDE_PROJECT_DIR"/.claude/hooks/lint.sh');
    expect(await state()).toBe("runs");
    project.write(".claude/hooks/lint.sh", "#!/bin/sh\ntrue\n", "x");
    expect(await state()).toBe("untrusted");
  });

  test("that runs a script of the package is said to", async () => {
    settings("npm run lint");
    expect(await state()).toBe("runs");
    project.write("package.json", '{"scripts":{"lint":"true"}}');
    expect(await state()).toBe("untrusted");
    await project.approve();
    expect(await state()).toBe("runs");
  });

  test("of j-cli, and a plugin of chibi, too", async () => {
    project.write("tools/g.sh", "true\n");
    project.write("~/.jdata/agent/hooks.yaml", "pre_tool_execution:\n  - command: sh tools/g.sh\n");
    project.write("~/.chibi/plugins/p", "#!/bin/sh\nsh ./tools/g.sh\n", "x");
    await using opened = await project.open();
    expect(opened.session.report.sources.map(({ state }) => state)).toEqual(["untrusted", "untrusted"]);
  });

  test("that starts nothing of the project needs no approval", async () => {
    settings("git status --short; jq . config.json; cat README.md");
    project.write("config.json", "{}");
    project.write("README.md", "");
    expect(await state()).toBe("runs");
  });
});

/** Approves the only hook, bound to these paths; returns what is covered and open then. */
async function bound(paths: readonly string[]): Promise<{ covered: string[]; open: string[] }> {
  await using opened = await project.open("trust", true);
  const [review] = await opened.session.review();
  if (review === undefined) throw new Error("there is no hook");
  const print = review.bind(paths.map((path) => project.path(path)));
  project.store.approve([{ ...approvalOf(review), ...print }]);
  const name = (path: string): string => path.slice(project.cwd.length + 1);
  return { covered: print.files.map(({ path }) => name(path)), open: (print.open ?? []).map(({ why }) => why) };
}

async function verdict(): Promise<string | undefined> {
  await using opened = await project.open("trust", true);
  return (await opened.session.review())[0]?.verdict;
}

describe("what is bound", () => {
  beforeEach(() =>
    lay({ run: "npm run lint", files: { "package.json": '{"scripts":{"lint":"sh tools/g.sh && eslint ."}}' } }),
  );

  test("a package.json is read: what its script starts is covered, or stays open", async () => {
    project.write("tools/g.sh", "true\n");
    project.write("eslint.config.js", 'import "./rules.mjs";\n');
    project.write("rules.mjs", "");
    const one = await bound(["package.json"]);
    expect(one.covered).toEqual(expect.arrayContaining(["package.json", "tools/g.sh"]));
    expect(one.open).toEqual(["runs what eslint.config.js says"]);
    const both = await bound(["package.json", "eslint.config.js"]);
    expect(both.covered).toEqual(expect.arrayContaining(["eslint.config.js", "rules.mjs"]));
    expect(both.open).toEqual([]);
    project.write("rules.mjs", "1");
    expect(await verdict()).toBe("changed");
  });

  test("a folder closes what is in it, and any change there is asked about", async () => {
    project.write(".claude/settings.json", project.read(".claude/settings.json").replace("npm run lint", "sh $X"));
    expect((await bound(["."])).open).toEqual([]);
    expect(await verdict()).toBe("approved");
    project.write("anything.txt", "");
    expect(await verdict()).toBe("changed");
  });
});

describe("what an approval survives, and what not", () => {
  test("a covered file that git comes to ignore stays covered", async () => {
    lay({ run: "sh tools/g.sh", files: { "tools/g.sh": "" } });
    await project.approve();
    project.write(".gitignore", "tools/\n");
    expect(await verdict()).toBe("approved");
    project.write("tools/g.sh", "echo evil\n");
    expect(await verdict()).toBe("changed");
  });

  test("a hundred files that nothing loads are not asked about", async () => {
    lay({
      run: "node tools/g.mjs; sh tools/g.sh",
      files: { "tools/g.mjs": 'import "./lib.mjs";', "tools/lib.mjs": "", "tools/g.sh": "" },
    });
    await project.approve();
    for (let at = 0; at < 100; at++) project.write(`${at % 2 === 0 ? "tools" : "src"}/new${at}.mjs`, "");
    expect(await verdict()).toBe("approved");
  });

  test("compiled Python in the project does not run in place of its source", async () => {
    lay({
      run: "python3 tools/g.py",
      files: {
        "tools/g.py": "import helper\n",
        "tools/helper.py": `open(${JSON.stringify(project.marker)}, "a").write("source\\n")\n`,
      },
    });
    project.write("tools/forge.py", `open(${JSON.stringify(project.marker)}, "a").write("forged\\n")\n`);
    await project.approve();
    const forge =
      "import py_compile, sys; py_compile.compile('tools/forge.py', cfile='tools/__pycache__/helper.' + sys.implementation.cache_tag + '.pyc', invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)";
    execFileSync("python3", ["-c", forge], { cwd: project.cwd });
    await using opened = await project.open();
    await opened.session.emit("tool.before", { toolCallId: "1", tool: "bash", args: { command: "ls" } });
    expect(project.ran()).toEqual(["source"]);
  });
});
