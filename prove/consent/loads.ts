import { basename, dirname, join, relative } from "node:path";
import type { From, Script, Sketch, Wanted, Way } from "./drawn.ts";
import type { LanguageName } from "./languages.ts";

type Make = (to: string, from: From, script: Script) => string;

/** Makes a `Way` in which a file loads another one, in the same language or as `wanted`. */
function load(name: string, wanted: Wanted | ((from: From, sketch: Sketch) => Wanted), make: Make): Way {
  return {
    name,
    lead(sketch, from) {
      const given = typeof wanted === "function" ? wanted(from, sketch) : wanted;
      if (given.language !== undefined && !sketch.installed.has(given.language)) return undefined;
      const script = sketch.script(given);
      return { piece: make(script.path, from, script), to: script.path };
    },
  };
}

/** Makes a `Way` whose piece of text computes the file's name. */
const computing: typeof load = (...given) => ({ ...load(...given), isComputed: true });

/** Returns a path relative to a folder, beginning with a dot. */
const seen = (to: string, { folder }: From): string => {
  const path = relative(folder, to);
  return path.startsWith(".") ? path : `./${path}`;
};
const bare = (path: string): string => basename(path).replace(/\.\w+$/, "");
const beside = ({ folder }: From): Wanted => ({ folder });

/** Makes a `Way` in which a file is only read. */
const reads = (...makes: readonly ((path: string) => string)[]): Way => ({
  name: "data",
  lead(sketch) {
    const path = sketch.data();
    return { piece: sketch.chance.of(makes)(path), to: path };
  },
});

const SHELL: readonly Way[] = [
  load("source", { language: "sh" }, (to) => `. ./${to}`),
  load("source", { language: "sh" }, (to) => `. "$CLAUDE_PROJECT_DIR/${to}"`),
  computing("source beside", { language: "sh" }, (to, from) => `. "$(dirname "$0")/${seen(to, from)}"`),
  computing(
    "source beside",
    { language: "sh" },
    (to, from) => `DIR=$(cd "$(dirname "$0")" && pwd); . "$DIR/${seen(to, from)}"`,
  ),
  computing("source beside", { language: "sh" }, (to, from) => `. "\${0%/*}/${seen(to, from)}"`),
  computing(
    "source, variable",
    { language: "sh" },
    (to) => `n=${bare(to)}; . "./${join(dirname(to), "$n")}${to.slice(to.lastIndexOf("."))}"`,
  ),
  computing("source, loop", { language: "sh", folder: "parts" }, () => `for f in ./parts/*; do . "$f"; done`),
  computing("source, computed", { language: "sh", folder: "parts", base: "Linux.sh" }, () => `. "./parts/$(uname).sh"`),
  computing(
    "source, folder changed",
    { language: "sh" },
    (to) => `cd ./${dirname(to)} && . ./${basename(to)} && cd "$CLAUDE_PROJECT_DIR"`,
  ),
  load("start", {}, (to, _from, { program }) => `${program} ${to}`),
  load("start", {}, (to, _from, { program }) => `${program} "$CLAUDE_PROJECT_DIR"/${to} || exit 1`),
  computing("start beside", {}, (to, from, { program }) => `"${program}" "$(dirname "$0")"/${seen(to, from)}`),
  load("start, redirection", {}, (to, _from, { program }) => `${program} < ./${to}`),
  load("start, pipe", { language: "sh" }, (to) => `cat ./${to} | sh`),
  computing("start, eval", { language: "sh" }, (to) => `eval "$(cat ./${to})"`),
  load("start of a program", { isProgram: true }, (to) => `./${to}`),
  load("start of a program", { isProgram: true }, (to) => `x=$(./${to}); echo "$x"`),
  reads(
    (path) => `grep -qf ${path} /dev/null || :`,
    (path) => `while read -r one; do :; done < ./${path}`,
    (path) => `cat "$CLAUDE_PROJECT_DIR/${path}" > /dev/null`,
  ),
];

const BASH: readonly Way[] = [
  ...SHELL,
  computing(
    "source beside",
    { language: "bash" },
    (to, from) => `source "$(dirname "\${BASH_SOURCE[0]}")/${seen(to, from)}"`,
  ),
  computing("source beside", { language: "bash" }, (to, from) => `source "\${BASH_SOURCE%/*}/${seen(to, from)}"`),
  load("source", { language: "bash" }, (to) => `source ${to}`),
  computing(
    "source, array",
    { language: "bash" },
    (to) => `all=(./${to}); for f in "\${all[@]}"; do source "$f"; done`,
  ),
];

/** Ways in which a module starts a program, in the forms that people write. */
const spawned: readonly Way[] = [
  load("start", { language: "sh" }, (to) => `process.getBuiltinModule("child_process").execFileSync("sh", ["${to}"]);`),
  load("start", { language: "sh" }, (to) => `process.getBuiltinModule("child_process").execSync("sh ${to}");`),
];

const nodeData = reads((path) => `process.getBuiltinModule("node:fs").readFileSync("${path}", "utf8");`);

const CJS: readonly Way[] = [
  load(
    "start",
    { language: "sh" },
    (to) => `{ const { execFileSync } = require("child_process"); execFileSync("bash", ["${to}"]); }`,
  ),
  load("require", { language: "cjs" }, (to, from) => `require("${seen(to, from)}");`),
  load("require", { language: "cjs" }, (to, from) => `const { x: y${bare(to)} } = require("${seen(to, from)}");`),
  load(
    "require without ending",
    { language: "cjs" },
    (to, from) => `require("${seen(to, from).replace(/\.js$/, "")}");`,
  ),
  computing(
    "require of a path",
    { language: "cjs" },
    (to, from) => `require(require("node:path").join(__dirname, "${relative(from.folder, to)}"));`,
  ),
  computing(
    "require of a path",
    { language: "cjs" },
    (to, from) => `require(__dirname + "/${relative(from.folder, to)}");`,
  ),
  load(
    "require of a folder",
    { language: "cjs", folder: "checks", base: "index.js" },
    (to, from) => `require("${seen(dirname(to), from)}");`,
  ),
  computing(
    "require, dynamic name",
    { language: "cjs" },
    (to, from) => `{ const n = "${basename(to)}"; require("${seen(dirname(to), from)}/" + n); }`,
  ),
  computing(
    "require, computed",
    { language: "cjs", folder: "parts", base: "linux.cjs" },
    (to, from) => `require(\`${seen(dirname(to), from)}/\${process.platform}.cjs\`);`,
  ),
  load("import()", { language: "mjs" }, (to, from) => `import("${seen(to, from)}");`),
  load(
    "start",
    { language: "cjs" },
    (to, from) =>
      `require("child_process").spawnSync(process.execPath, [require("path").join(__dirname, "${relative(from.folder, to)}")]);`,
  ),
  load("start", { language: "python" }, (to) => `require("child_process").execSync("python3 ${to}");`),
  computing(
    "worker",
    { language: "cjs" },
    (to, from) =>
      `new (require("node:worker_threads").Worker)(require("path").join(__dirname, "${relative(from.folder, to)}"));`,
  ),
  computing(
    "vm",
    { language: "cjs" },
    (to) => `require("vm").runInThisContext("(module) => {" + require("fs").readFileSync("${to}", "utf8") + "}")({});`,
  ),
  ...spawned,
  nodeData,
  reads((path) => `require("fs").readFileSync("./${path}");`),
  workspace((name) => `require("${name}");`),
  mapped((name) => `require("${name}");`, "cjs"),
];

const ESM: readonly Way[] = [
  load(
    "start",
    { language: "sh" },
    (to) => `import { execSync as run${bare(to)} } from "node:child_process";\nrun${bare(to)}("sh ${to}");`,
  ),
  load(
    "start",
    { language: "sh" },
    (to) => `import * as child${bare(to)} from "child_process";\nchild${bare(to)}.spawnSync("bash", ["${to}"]);`,
  ),
  load(
    "start",
    { language: "python" },
    (to) => `(await import("node:child_process")).execFileSync("python3", ["${to}"]);`,
  ),
  load("import", { language: "mjs" }, (to, from) => `import "${seen(to, from)}";`),
  load("import", { language: "mjs" }, (to, from) => `import { x as y${bare(to)} } from "${seen(to, from)}";`),
  load("import, namespace", { language: "mjs" }, (to, from) => `import * as n${bare(to)} from "${seen(to, from)}";`),
  load("export from", { language: "mjs" }, (to, from) => `export { x as z${bare(to)} } from "${seen(to, from)}";`),
  load("import()", { language: "mjs" }, (to, from) => `await import("${seen(to, from)}");`),
  computing(
    "import of a URL",
    { language: "mjs" },
    (to, from) => `await import(new URL("${seen(to, from)}", import.meta.url).href);`,
  ),
  computing(
    "import, dynamic name",
    { language: "mjs" },
    (to, from) => `{ const n = "${basename(to)}"; await import("${seen(dirname(to), from)}/" + n); }`,
  ),
  computing(
    "import, computed",
    { language: "mjs", folder: "parts", base: "linux.mjs" },
    (to, from) => `await import(\`${seen(dirname(to), from)}/\${process.platform}.mjs\`);`,
  ),
  load(
    "createRequire",
    { language: "cjs" },
    (to, from) => `process.getBuiltinModule("node:module").createRequire(import.meta.url)("${seen(to, from)}");`,
  ),
  ...spawned,
  nodeData,
  workspace((name) => `import "${name}";`),
  mapped((name) => `import "${name}";`, "mjs"),
];

const TS: readonly Way[] = [
  ...ESM,
  load("import", { language: "ts" }, (to, from) => `import { x as y${bare(to)} } from "${seen(to, from)}";`),
  load("import", { language: "ts" }, (to, from) => `import "${seen(to, from)}";`),
];

/** Makes a `Way` through a package of the same project, linked where Node looks for packages. */
function workspace(make: (name: string) => string): Way {
  return {
    name: "workspace link",
    lead(sketch, from) {
      const { path } = sketch.script({ language: "cjs", folder: "packages/two", base: "index.js" });
      sketch.file("packages/two/package.json", `${JSON.stringify({ name: "@own/two", main: "index.js" })}\n`);
      sketch.file("node_modules/@own/two", { link: "../../packages/two" });
      if (sketch.chance.below(2) === 0) sketch.file("package-lock.json", '{"lockfileVersion": 3, "packages": {}}\n');
      sketch.edge(from.path, make("@own/two"), "packages/two/package.json");
      return { piece: make("@own/two"), to: path };
    },
  };
}

/** Makes a `Way` through a name that the package maps to a file of its own. */
function mapped(make: (name: string) => string, language: LanguageName): Way {
  return {
    name: "package.json maps",
    lead(sketch, from) {
      if (sketch.files["package.json"] !== undefined) return undefined;
      const { path } = sketch.script({ language });
      const isOwn = sketch.chance.below(2) === 0;
      const map = isOwn
        ? { name: "own", exports: { "./rule": `./${path}` } }
        : { imports: { "#rule": `./${path}`, "#all/*": "./lib/*" } };
      const piece = make(isOwn ? "own/rule" : "#rule");
      sketch.file("package.json", `${JSON.stringify(map)}\n`);
      sketch.edge(from.path, piece, "package.json");
      return { piece, to: path };
    },
  };
}

/** Makes a Python package in the path of a module, beside the file that imports it. */
const inPackage = (from: From, sketch: Sketch): Wanted => {
  const folder = join(from.folder, "rulebook");
  if (sketch.chance.below(2) === 0) {
    const init = join(folder, "__init__.py");
    sketch.file(init, "y = 1\n");
    sketch.edge(from.path, "rulebook", init);
  }
  return { language: "python", folder };
};

const py = (from: From): Wanted => ({ ...beside(from), language: "python" });

const PYTHON: readonly Way[] = [
  load("import", py, (to) => `import ${bare(to)}`),
  load("import", py, (to) => `import json, ${bare(to)} as one`),
  load("from", py, (to) => `from ${bare(to)} import *`),
  load("from, in a block", py, (to) => `try:\n    from ${bare(to)} import x\nexcept ImportError:\n    x = 0`),
  load("package on the way", inPackage, (to) => `import rulebook.${bare(to)}`),
  load("package on the way", inPackage, (to) => `from rulebook import ${bare(to)}`),
  load("package on the way", inPackage, (to) => `from rulebook.${bare(to)} import x as other`),
  load("package on the way", inPackage, (to) => `from rulebook import (\n    ${bare(to)},\n)`),
  computing("import, dynamic name", py, (to) => `import importlib\nimportlib.import_module("${bare(to)}")`),
  computing("import, dynamic name", py, (to) => `__import__("${bare(to)}")`),
  computing("import, computed", py, (to) => `__import__("${bare(to).slice(0, 2)}" + "${bare(to).slice(2)}")`),
  computing(
    "import, path",
    { language: "python" },
    (to) => `import sys\nsys.path.insert(0, "${dirname(to)}")\nimport ${bare(to)}`,
  ),
  computing(
    "import, path",
    { language: "python" },
    (to, from) =>
      `import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "${relative(from.folder, dirname(to))}"))\nimport ${bare(to)}`,
  ),
  computing(
    "import, path",
    { language: "python" },
    (to, from) =>
      `import sys, pathlib\nsys.path.append(str(pathlib.Path(__file__).parent / "${relative(from.folder, dirname(to))}"))\nfrom ${bare(to)} import x`,
  ),
  computing("run", { language: "python" }, (to) => `import runpy\nrunpy.run_path("${to}")`),
  computing("run", { language: "python" }, (to) => `exec(open("${to}").read())`),
  load("start", { language: "sh" }, (to) => `import subprocess\nsubprocess.run(["sh", "${to}"])`),
  load("start", {}, (to, _from, { program }) => `import os\nos.system("${program} ${to}")`),
  load(
    "start",
    { language: "python" },
    (to) => `import subprocess, sys\nsubprocess.run([sys.executable, "${to}"], check=True)`,
  ),
  reads(
    (path) => `open("${path}").read()`,
    (path) => `from pathlib import Path\nPath("${path}").read_text()`,
  ),
];

const PERL: readonly Way[] = [
  load("use", { language: "perl", folder: "lib", base: "Rules.pm" }, () => `use lib "lib"; use Rules;`),
  load("use", { language: "perl", folder: "lib", base: "Audit.pm" }, () => `BEGIN { unshift @INC, "lib" } use Audit;`),
  computing(
    "use beside",
    (from) => ({ ...beside(from), language: "perl", base: "Beside.pm" }),
    () => `use FindBin; use lib $FindBin::Bin; use Beside;`,
  ),
  load("require", { language: "perl" }, (to) => `require "./${to}";`),
  load("do", { language: "perl" }, (to) => `do "./${to}";`),
  load("start", { language: "sh" }, (to) => `system("sh", "${to}");`),
  load("start", {}, (to, _from, { program }) => `system("${program} ${to}");`),
  reads((path) => `open(my $in, "<", "${path}"); my @all = <$in>;`),
];

const RUBY: readonly Way[] = [
  load("require_relative", { language: "ruby" }, (to, from) => `require_relative "${seen(to, from)}"`),
  load("load", { language: "ruby" }, (to) => `load "./${to}"`),
  load("start", { language: "sh" }, (to) => `system("sh ${to}")`),
];

/** The ways in which a file of each language leads to another file. */
export const LOADS: Readonly<Partial<Record<LanguageName, readonly Way[]>>> = {
  sh: SHELL,
  bash: BASH,
  cjs: CJS,
  mjs: ESM,
  ts: TS,
  python: PYTHON,
  perl: PERL,
  ruby: RUBY,
};
