import { basename, dirname, join } from "node:path";
import type { Lead, Script, Sketch, Way } from "./drawn.ts";
import type { LanguageName } from "./languages.ts";

/** Quotes a path as a word of a shell. */
const word = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path}'`);
const folderOf = (path: string): string => (dirname(path) === "." ? "" : dirname(path));

/** Commands that wrap another command. */
export const WRAPPERS: readonly ((text: string) => string)[] = [
  (text) => `if true; then ${text}\nfi`,
  (text) => `cat > /dev/null; ${text}`,
  (text) => `true && { ${text}\n}`,
  (text) => `(${text}\n)`,
  (text) => `run() { ${text}\n}; run`,
  (text) => `set -e; ${text}\nexit 0`,
  (text) => `for one in a b; do ${text}\ndone`,
  (text) => `while :; do ${text}\nbreak; done`,
  (text) => `{ ${text}\n} 2>/dev/null`,
  (text) => `[ -d . ] && (${text}\n) || true`,
  (text) => `case a in a) ${text}\n;; esac`,
  (text) => `trap 'exit 0' EXIT; ${text}`,
];

type Make = (script: Script, sketch: Sketch) => string;

/** Makes a `Way` that starts a script in any of these languages; by default, in any language. */
function start(name: string, make: Make, ...languages: readonly LanguageName[]): Way {
  return {
    name,
    lead(sketch): Lead | undefined {
      const known = languages.filter((one) => sketch.installed.has(one));
      if (languages.length > 0 && known.length === 0) return undefined;
      const script = sketch.script(known.length > 0 ? { language: sketch.chance.of(known) } : {});
      return { piece: make(script, sketch), to: script.path };
    },
  };
}

/** Makes a `Way` whose piece of text computes the file's name. */
const computing: typeof start = (...given) => ({ ...start(...given), isComputed: true });

/** Makes a `Way` that starts a program whose first line is `#!`. */
function program(name: string, make: (path: string, sketch: Sketch) => string): Way {
  return {
    name,
    lead(sketch) {
      const { path } = sketch.script({ isProgram: true });
      return { piece: make(path, sketch), to: path };
    },
  };
}

/** Makes a `Way` through an intermediate file that leads to a script. */
function through(
  name: string,
  make: (script: Script, sketch: Sketch) => { readonly file: string; readonly text: string; readonly command: string },
  ...languages: readonly LanguageName[]
): Way {
  return {
    name,
    lead(sketch) {
      const known = languages.filter((one) => sketch.installed.has(one));
      const script = sketch.script(languages.length > 0 ? { language: sketch.chance.of(known) } : {});
      const { file, text, command } = make(script, sketch);
      sketch.file(file, text);
      sketch.edge(file, text, script.path);
      return { piece: command, to: file };
    },
  };
}

const SHELLS = ["sh", "bash"] as const;
const NODES = ["cjs", "mjs", "ts"] as const;

const ARGUMENT: readonly Way[] = [
  start("argument", ({ program: by, path }) => `${by} ${word(path)}`),
  start("argument", ({ program: by, path }) => `${by} ./${word(path)} --all`),
  start("argument", ({ program: by, path }) => `${by} "$CLAUDE_PROJECT_DIR"/${word(path)}`),
  start("argument", ({ program: by, path }) => `${by} "$CLAUDE_PROJECT_DIR/${path}" 2>/dev/null`),
  start("argument", ({ program: by, path }) => `env A=1 ${by} "${path}"`),
  start("argument", ({ program: by, path }) => `timeout 5 ${by} ${word(path)}`),
  start("argument", ({ program: by, path }) => `nohup nice ${by} ${word(path)} | cat`),
  start("argument", ({ program: by, path }) => `command exec ${by} ${word(path)}`),
  start("argument", ({ program: by, path }) => `test -f ${word(path)} && ${by} ${word(path)}`),
  start("argument, folder changed", ({ program: by, path }) => `cd ./${folderOf(path)} && ${by} ${basename(path)}`),
  start(
    "argument, folder changed",
    ({ program: by, path }) => `(cd "${folderOf(path) || "."}"; ${by} ./${basename(path)})`,
  ),
  start("argument, folder changed", ({ program: by, path }) => `pushd ./${folderOf(path)}; ${by} ${basename(path)}`),
  start("argument, folder changed", ({ program: by, path }) => `env -C ./${folderOf(path)} ${by} ${basename(path)}`),
  computing("argument, variable", ({ program: by, path }) => `D=./${folderOf(path)}; ${by} "$D/${basename(path)}"`),
  computing("argument, variable", ({ program: by, path }) => `F=${word(path)}\nif [ -n "$F" ]; then ${by} "$F"; fi`),
  computing("argument, loop", ({ program: by, path }) => `for f in ${word(path)}; do ${by} "$f"; done`),
  computing(
    "argument, loop",
    ({ program: by, path }) => `for f in ./${path.replace(/[^/]+$/, "")}*; do ${by} "$f"; done`,
  ),
  computing("argument, computed", ({ program: by, path }) => `${by} "$(echo ${word(path)})"`),
  computing(
    "argument, computed",
    ({ program: by, path }) => `F=$(ls ./${folderOf(path)} | head -n 1); ${by} ./${folderOf(path)}/"$F"`,
  ),
  start("argument, option", ({ path }) => `bash -eu -o pipefail ${word(path)}`, ...SHELLS),
  start("argument, option", ({ path }) => `node --no-warnings --stack-size=900 ./${path}`, ...NODES),
  start("argument, option", ({ path }) => `python3 -B -W ignore ${word(path)}`, "python"),
  start("argument, option", ({ path }) => `perl -w -I lib ${word(path)}`, "perl"),
  start("argument, without ending", ({ path }) => `node ${path.replace(/\.c?js$/, "")}`, "cjs"),
];

const STREAMS: readonly Way[] = [
  start("redirection", ({ program: by, path }) => `${by} < ${word(path)}`),
  start("redirection", ({ program: by, path }) => `${by} - < "$CLAUDE_PROJECT_DIR/${path}"`, "cjs", "python", "perl"),
  start("redirection", ({ path }) => `bash -s one < ${word(path)}`, ...SHELLS),
  start("redirection", ({ path }) => `{ sh; } < ${word(path)}`, "sh"),
  start("redirection", ({ path }) => `exec < ${word(path)}; sh`, "sh"),
  start("pipe", ({ program: by, path }) => `cat ${word(path)} | ${by}`),
  start("pipe", ({ program: by, path }) => `cat < ${word(path)} | tee /dev/null | ${by} -`, "cjs", "python", "perl"),
  start("pipe", ({ path }) => `sed '' ${word(path)} | sh`, "sh"),
  start("pipe", ({ path }) => `tail -n +1 ${word(path)} | bash -s`, ...SHELLS),
  start("pipe", ({ path }) => `bash <(cat ${word(path)})`, ...SHELLS),
  start("here-document", ({ path }) => `bash <<'END'\n. ./${path}\nEND`, ...SHELLS),
  start("here-document", ({ program: by, path }) => `sh <<< '${by} ${path}'`),
  start("here-document", ({ path }) => `python3 - <<'END'\nexec(open("${path}").read())\nEND`, "python"),
  start("here-document", ({ path }) => `node <<'END'\nrequire("./${path}");\nEND`, "cjs"),
];

const TEXTS: readonly Way[] = [
  start("-c", ({ program: by, path }) => `bash -c '${by} ${path}'`),
  start("-c", ({ path }) => `sh -c '. ./${path}'`, "sh"),
  start("-c", ({ path }) => `bash -c "$(cat ${word(path)})"`, ...SHELLS),
  start("-c", ({ path }) => `eval "$(cat ./${path})"`, ...SHELLS),
  start("-c", ({ path }) => `eval "$(< ${word(path)})"`, ...SHELLS),
  start("-c", ({ program: by, path }) => `eval "${by} ${path}"`),
  start("-c", ({ path }) => `bash -c '"$@"' _ sh ${word(path)}`, ...SHELLS),
  start("-c", ({ path }) => `node -e 'require("./${path}")'`, "cjs"),
  start("-c", ({ path }) => `node -p "require('./${path.replace(/\.c?js$/, "")}').x"`, "cjs"),
  start("-c", ({ path }) => `node --input-type=module -e 'import "./${path}"'`, ...NODES),
  start("-c", ({ path }) => `node -e 'import("./${path}")'`, ...NODES),
  start("-c", ({ path }) => `node -e 'require("node:child_process").execFileSync("sh", ["${path}"])'`, "sh"),
  start("-c", ({ path }) => `perl -e 'require "./${path}"'`, "perl"),
  start("-c", ({ path }) => `perl -e 'do "./${path}"; exit 0'`, "perl"),
  start("-c", ({ path }) => `perl -e 'system("sh", "${path}")'`, "sh"),
  start("-c", ({ path }) => `python3 -c 'exec(open("${path}").read())'`, "python"),
  start("-c", ({ path }) => `python3 -c 'import runpy; runpy.run_path("${path}")'`, "python"),
  start("-c", ({ path }) => `python3 -c 'import os; os.system("sh ${path}")'`, "sh"),
  start("-c", ({ path }) => `ruby -e 'load "./${path}"'`, "ruby"),
  start("awk's system", ({ program: by, path }) => `awk 'BEGIN { system("${by} ${path}") }'`),
  module("-c", (name) => `python3 -c 'import ${name}'`),
  module("-c", (name) => `python3 -c 'from ${name} import x; print(x)'`),
];

/** Makes a `Way` that starts a Python module by its dotted name. */
function module(name: string, make: (dotted: string) => string): Way {
  return {
    name,
    lead(sketch) {
      const depth = sketch.chance.below(3);
      const folder = ["", "checks", "checks/deep"][depth] ?? "";
      for (let at = folder; at !== "" && sketch.chance.below(2) === 0; at = folderOf(at))
        onTheWay(sketch, join(at, "__init__.py"));
      const { path } = sketch.script({ language: "python", folder });
      const dotted = path.replace(/\.py$/, "").replaceAll("/", ".");
      return { piece: make(dotted), to: path };
    },
  };
}

function onTheWay(sketch: Sketch, path: string): void {
  sketch.file(path, "y = 1\n");
  sketch.edge(undefined, path, path);
}

const MODULES: readonly Way[] = [
  module("-m", (name) => `python3 -m ${name}`),
  module("-m", (name) => `python3 -B -m ${name} --all`),
  start("-m", ({ path }) => `node -r ./${path} -e 1`, "cjs"),
  start("-m", ({ path }) => `node --require=./${path} --eval 1`, "cjs"),
  start("-m", ({ path }) => `node --import ./${path} -e 1`, "mjs", "cjs"),
  start("-m", ({ path }) => `ruby -r./${path} -e 1`, "ruby"),
  {
    name: "-m",
    lead(sketch) {
      const { path } = sketch.script({ language: "perl", folder: "lib", base: "Guard.pm" });
      return { piece: sketch.chance.of(["perl -Ilib -MGuard -e 1", "perl -I lib -e 'use Guard;'"]), to: path };
    },
  },
  {
    name: "a folder",
    lead(sketch) {
      const { path } = sketch.script({ language: "python", folder: "checks", base: "__main__.py" });
      return { piece: sketch.chance.of(["python3 checks", "python3 -m checks"]), to: path };
    },
  },
  {
    name: "a folder",
    lead(sketch) {
      const { path } = sketch.script({ language: "cjs", folder: "checks", base: "index.js" });
      return {
        piece: sketch.chance.of(["node checks", "node ./checks/", "node -e 'require(\"./checks\")'"]),
        to: path,
      };
    },
  },
  {
    name: "tests",
    lead(sketch) {
      const { path } = sketch.script({ language: "python", folder: "", base: "test_guard.py" });
      return { piece: "python3 -m unittest", to: path };
    },
  },
  {
    name: "tests",
    lead(sketch) {
      const { path } = sketch.script({ language: "cjs", folder: "test", base: "guard.test.cjs" });
      return { piece: "node --test test/*.cjs", to: path };
    },
  },
];

const FILES: readonly Way[] = [
  start("-f", ({ path }) => `echo a | awk -f ${word(path)}`, "awk"),
  start("-f", ({ path }) => `awk -F: --file=${word(path)} /dev/null`, "awk"),
  start("-f", ({ path }) => `echo a | sed -nf ${word(path)}`, "sed"),
  start("-f", ({ path }) => `echo a | sed --file ${word(path)}`, "sed"),
  through("-f", ({ program: by, path }) => ({
    file: "tools/checks.mk",
    text: `all:\n\t@${by} ${path}\n`,
    command: "make -s -f tools/checks.mk",
  })),
  {
    name: "data",
    lead(sketch) {
      const path = sketch.data();
      return { piece: sketch.chance.of(READS)(word(path)), to: path };
    },
  },
];

/** Commands that only read a file. */
const READS: readonly ((path: string) => string)[] = [
  (path) => `grep -qFf ${path} /dev/null || true`,
  (path) => `cat ${path}`,
  (path) => `jq -c . ${path} 2>/dev/null`,
  (path) => `while read -r line; do :; done < ${path}`,
  (path) => `grep -c one ${path}`,
  (path) => `x=$(cat ${path}); test -n "$x"`,
  (path) => `sort ${path} | head -n 1`,
  (path) => `wc -l < ${path}`,
];

const PROGRAMS: readonly Way[] = [
  program("#!", (path) => `./${path}`),
  program("#!", (path) => `./${path} --all < /dev/null`),
  program("#!", (path) => `"$CLAUDE_PROJECT_DIR"/${word(path)}`),
  program("#!", (path) => `"$CLAUDE_PROJECT_DIR/${path}"`),
  program("#!", (path) => `\${CLAUDE_PROJECT_DIR}/${word(path)} one two`),
  program("#!", (path) => `exec ./${path}`),
  program("#!", (path) => `cd ./${folderOf(path)} && ./${basename(path)}`),
  {
    name: "#! with a module",
    lead(sketch) {
      const { path: loaded } = sketch.script({ language: "cjs" });
      const path = "tools/strict";
      const first = `#!/usr/bin/env -S node --require ./${loaded}`;
      sketch.file(path, { program: `${first}\nconst x = 1;\n` });
      sketch.edge(path, first, loaded);
      return { piece: `./${path}`, to: path };
    },
  },
  start("env -S", ({ program: by, path }) => `env -S "${by} ${path}"`),
  start("env -S", ({ program: by, path }) => `env -S${by}\\_${path}`),
  start("env -S", ({ program: by, path }) => `env --split-string '${by}' ${word(path)}`),
  computing("xargs", ({ program: by, path }) => `echo ${word(path)} | xargs ${by}`),
  computing("xargs", ({ program: by, path }) => `printf '%s\\n' ${word(path)} | xargs -n 1 ${by}`),
  computing("xargs", ({ program: by, path }) => `echo a | xargs -I{} ${by} ${word(path)} {}`),
  {
    name: "xargs of a list",
    isComputed: true,
    lead(sketch) {
      const { path, program: by } = sketch.script();
      sketch.file("tools/all.txt", `${path}\n`);
      return { piece: sketch.chance.of([`xargs ${by} < tools/all.txt`, `xargs -a tools/all.txt ${by}`]), to: path };
    },
  },
  computing("find", ({ program: by, path }) => `find ./${folderOf(path)} -name '${basename(path)}' -exec ${by} {} \\;`),
  computing("find", ({ program: by, path }) => `find . -path ./${path} -exec ${by} {} +`),
  computing("find", ({ program: by, path }) => `find ./${folderOf(path)} -name '${basename(path)}' | xargs -r ${by}`),
  program("find", (path) => `find ./${folderOf(path)} -maxdepth 1 -name '${basename(path)}' -exec {} \\;`),
];

const SOURCES: readonly Way[] = [
  start("source", ({ path }) => `. ./${path}`, ...SHELLS),
  start("source", ({ path }) => `source ${word(path)}`, ...SHELLS),
  start("source", ({ path }) => `. "$CLAUDE_PROJECT_DIR/${path}"`, ...SHELLS),
  start("source", ({ path }) => `source <(cat ${word(path)})`, ...SHELLS),
  start("source", ({ path }) => `builtin source ./${path}`, ...SHELLS),
  start("source", ({ path }) => `. /dev/stdin < ${word(path)}`, ...SHELLS),
  {
    name: "source of variables",
    lead(sketch) {
      sketch.file(".env", "A=1\n");
      return { piece: "set -a; . ./.env; set +a", to: ".env" };
    },
  },
  {
    name: "a file of variables",
    lead(sketch) {
      sketch.file(".env", "A=1\n");
      const { path } = sketch.script({ language: "cjs" });
      sketch.edge(undefined, path, path);
      return { piece: `node --env-file=.env ${path}`, to: ".env" };
    },
  },
];

/** Sets a variable for a command: in the settings, or in one of a shell's ways. */
function withVariable(sketch: Sketch, name: string, value: string, command: string): string {
  const way = sketch.chance.below(5);
  if (way > 3) return `${name}='${value}' ${command}`;
  if (way === 3) return `export ${name}='${value}'; ${command}`;
  if (way === 2) return `env ${name}='${value}' ${command}`;
  sketch.env[name] = value;
  return command;
}

/** Makes a `Way` through a variable that makes a program load a file. */
function loader(
  name: string,
  draw: (sketch: Sketch) => { readonly script: Script; readonly value: string; readonly command: string },
): Way {
  return {
    name,
    lead(sketch) {
      const { script, value, command } = draw(sketch);
      const piece = withVariable(sketch, name, value, command);
      sketch.edge(undefined, `${name}=${value}`, script.path);
      return { piece, to: script.path };
    },
  };
}

const LOADERS: readonly Way[] = [
  loader("BASH_ENV", (sketch) => {
    const script = sketch.script({ language: sketch.chance.of(SHELLS) });
    return { script, value: script.path, command: "bash -c true" };
  }),
  loader("NODE_OPTIONS", (sketch) => {
    const script = sketch.script({ language: "cjs" });
    return { script, value: `--require ./${script.path}`, command: "node -e 1" };
  }),
  loader("NODE_OPTIONS", (sketch) => {
    const script = sketch.script({ language: "mjs" });
    return { script, value: `--import=./${script.path}`, command: "node -e 1" };
  }),
  loader("NODE_PATH", (sketch) => {
    const script = sketch.script({ language: "cjs", folder: "lib", base: "guard.js" });
    return { script, value: "lib", command: "node -e 'require(\"guard\")'" };
  }),
  loader("PYTHONPATH", (sketch) => {
    const script = sketch.script({ language: "python", folder: "lib", base: "guard.py" });
    const command = sketch.chance.of(["python3 -c 'import guard'", "python3 -m guard"]);
    return { script, value: sketch.chance.of(["lib", "./lib", "tools:lib"]), command };
  }),
  loader("PYTHONPATH", (sketch) => {
    const script = sketch.script({ language: "python", folder: "lib", base: "sitecustomize.py" });
    return { script, value: "lib", command: "python3 -c 'print(1)'" };
  }),
  loader("PERL5LIB", (sketch) => {
    const script = sketch.script({ language: "perl", folder: "lib", base: "Guard.pm" });
    return { script, value: "lib", command: "perl -MGuard -e 1" };
  }),
  loader("PERL5OPT", (sketch) => {
    const script = sketch.script({ language: "perl", folder: "lib", base: "Guard.pm" });
    return { script, value: "-Ilib -MGuard", command: "perl -e 1" };
  }),
  loader("PATH", (sketch) => {
    const script = sketch.script({ isProgram: true, folder: "bin", base: "look" });
    return { script, value: `${sketch.chance.of(["bin", "./bin"])}:${SYSTEM}`, command: "look" };
  }),
  loader("PATH", (sketch) => {
    const script = sketch.script({ isProgram: true, folder: "bin", base: "cat", language: "sh" });
    return { script, value: `./bin:${SYSTEM}`, command: "cat > /dev/null" };
  }),
];

const SYSTEM = "/usr/bin:/bin";

const asJson = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

const CONFIGURED: readonly Way[] = [
  through(
    "package.json main",
    ({ path }) => ({
      file: "package.json",
      text: asJson({ name: "own", main: `./${path}` }),
      command: "node .",
    }),
    "cjs",
    "mjs",
  ),
  through(
    "package.json exports",
    ({ path }) => ({
      file: "package.json",
      text: asJson({ name: "own", exports: { "./guard": `./${path}` } }),
      command: "node -e 'require(\"own/guard\")'",
    }),
    "cjs",
  ),
  through(
    "package.json imports",
    ({ path }) => ({
      file: "package.json",
      text: asJson({ name: "own", imports: { "#guard": { default: `./${path}` } } }),
      command: "node --input-type=module -e 'import \"#guard\"'",
    }),
    "mjs",
    "cjs",
  ),
  through("node --run", ({ program: by, path }) => ({
    file: "package.json",
    text: asJson({ scripts: { check: `${by} ${path}` } }),
    command: "node --run check",
  })),
  through("npm run", ({ program: by, path }, { chance }) => ({
    file: "package.json",
    text: asJson({ scripts: { check: `${by} ${path}`, test: "npm run -s check" } }),
    command: chance.of(["npm run check", "npm run -s check -- --all", "npm run --silent check"]),
  })),
  through("make", ({ program: by, path }, { chance }) => ({
    file: chance.of(["Makefile", "makefile", "GNUmakefile"]),
    text: `check:\n\t@${by} ${path}\n`,
    command: chance.of(["make", "make -s check", "make --silent -j2 check"]),
  })),
  through("make -C", ({ program: by, path }) => ({
    file: "build/Makefile",
    text: `check:\n\t@cd .. && ${by} ${path}\n`,
    command: "make -C build",
  })),
  {
    name: "git",
    lead(sketch) {
      // The way needs a repository of its own, and then a folder below the project would be the project.
      if (sketch.isBelow) return undefined;
      const { path, program: by } = sketch.script({ language: "sh" });
      const text = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${by} ${path}\n[alias]\n\tlook = !${by} ${path}\n`;
      for (const [file, content] of Object.entries({
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/config": text,
        ".git/objects/info/.keep": "",
        ".git/refs/heads/.keep": "",
      }))
        sketch.file(file, content);
      sketch.edge(".git/config", text, path);
      return { piece: sketch.chance.of(["git status --short", "git look", "git diff --quiet"]), to: ".git/config" };
    },
  },
  {
    name: "git -c",
    lead(sketch) {
      const { path } = sketch.script({ language: "sh" });
      return { piece: `git -c alias.look='!sh ${path}' look`, to: path };
    },
  },
];

/** The ways in which a definition leads to a file; those that people use most are drawn most. */
export const STARTS: readonly Way[] = [
  ...[ARGUMENT, ARGUMENT, STREAMS, TEXTS, MODULES, FILES, PROGRAMS, PROGRAMS, SOURCES, LOADERS, CONFIGURED].flat(),
];
