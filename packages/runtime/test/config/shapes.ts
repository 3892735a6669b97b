import type { Project } from "./kit.ts";

/** A way for a hook to start a file: what the project holds, and the file that is changed after it was approved. */
export interface Shape {
  readonly name: string;
  /** The command of a j-cli hook; absent where the files define the hook. */
  readonly command?: string;
  /** MARK stands for a shell command that leaves the mark, PYMARK and JSMARK for one of Python and JavaScript. */
  readonly files: Readonly<Record<string, string>>;
  /** Files that are executable. */
  readonly programs?: readonly string[];
  readonly changed: string;
  /** The approval says that it is not covered. */
  readonly isOpen?: true;
  /** The program without which the shape cannot run. */
  readonly needs?: "python3" | "make" | "node";
}

const G = { "tools/g.sh": "MARK\n" };
const g = (name: string, command: string, programs: readonly string[] = []): Shape => ({
  name,
  command,
  files: G,
  programs,
  changed: "tools/g.sh",
});
const many = Array.from({ length: 65 }, (_, at) => `sh tools/p${at}.sh`).join("\n");
const words = Array.from({ length: 260 }, (_, at) => `w${at}`).join(" ");

/** The table of thirty shapes, and what else has been tried of its kind. */
export const SHAPES: readonly Shape[] = [
  g("a script", "sh tools/g.sh"),
  g("$PWD in quotes", 'sh "$PWD"/tools/g.sh'),
  g("$JCLI_CWD in quotes", 'sh "$JCLI_CWD"/tools/g.sh'),
  g("quotes around a part", 'sh "tools"/g.sh'),
  g("$(pwd)", 'sh "$(pwd)/tools/g.sh"'),
  g("cd &&", "cd tools && sh g.sh"),
  g("cd ;", "cd tools; ./g.sh", ["tools/g.sh"]),
  g("sh -c", "sh -c 'sh tools/g.sh'"),
  g("bash -c exec", 'bash -c "exec ./tools/g.sh"', ["tools/g.sh"]),
  g("a pattern", "sh tools/g*.sh"),
  g("a loop over a pattern", "for f in tools/*.sh; do . ./$f; done"),
  {
    name: "make",
    command: "make -s guard",
    files: { Makefile: "guard:\n\tMARK\n" },
    changed: "Makefile",
    isOpen: true,
    needs: "make",
  },
  {
    ...g("make and its script", "make -s guard"),
    files: { ...G, Makefile: "guard:\n\tsh tools/g.sh\n" },
    isOpen: true,
    needs: "make",
  },
  {
    name: "python3 -m",
    command: "python3 -m tools.g",
    files: { "tools/g.py": "PYMARK\n" },
    changed: "tools/g.py",
    needs: "python3",
  },
  {
    name: "an import of a module that node starts",
    command: "node tools/g.mjs",
    files: { "tools/g.mjs": 'import "./lib.mjs";\n', "tools/lib.mjs": "JSMARK\n" },
    changed: "tools/lib.mjs",
    needs: "node",
  },
  {
    name: "require in a script that node starts",
    command: "node tools/g.cjs",
    files: { "tools/g.cjs": 'require("./lib.cjs");\n', "tools/lib.cjs": 'require("node:fs");JSMARK\n' },
    changed: "tools/lib.cjs",
    needs: "node",
  },
  {
    name: "an import in Python",
    command: "python3 tools/g.py",
    files: { "tools/g.py": "import helper\n", "tools/helper.py": "PYMARK\n" },
    changed: "tools/helper.py",
    needs: "python3",
  },
  {
    name: "a plugin in Python with an import",
    files: {
      ".hookline/plugins/p/p":
        '#!/usr/bin/env python3\nimport sys\nif sys.argv[1:] == ["--schema"]:\n    print(\'{"name":"p","description":"d","hooks":["pre_tool"]}\')\n    sys.exit()\nimport helper\n',
      ".hookline/plugins/p/helper.py": "PYMARK\n",
    },
    programs: [".hookline/plugins/p/p"],
    changed: ".hookline/plugins/p/helper.py",
    needs: "python3",
  },
  {
    name: "a sourced file without an ending",
    command: "sh tools/g.sh",
    files: { "tools/g.sh": ". tools/common\n", "tools/common": "MARK\n" },
    changed: "tools/common",
  },
  {
    name: "a script with a NUL byte",
    command: "bash tools/g.sh",
    files: { "tools/g.sh": "#!/bin/bash\nsh tools/h.sh\n#\0\n", "tools/h.sh": "MARK\n" },
    changed: "tools/h.sh",
  },
  {
    name: "a name with a letter that is not ASCII",
    command: "sh tools/g.sh",
    files: { "tools/g.sh": "sh tools/prüfung.sh\n", "tools/prüfung.sh": "MARK\n" },
    changed: "tools/prüfung.sh",
  },
  {
    name: "the 65th program of a script",
    command: "sh tools/g.sh",
    files: {
      "tools/g.sh": `${many}\n`,
      ...Object.fromEntries(
        Array.from({ length: 65 }, (_, at) => [`tools/p${at}.sh`, at === 64 ? "MARK\n" : "true\n"]),
      ),
    },
    changed: "tools/p64.sh",
  },
  g("the 257th word of a command", `true ${words}; sh tools/g.sh`),
  {
    name: "a pi module that starts a program",
    files: {
      ".pi/extensions/e.ts":
        'import { execFileSync } from "node:child_process";\nexport default function (pi: any) {\n  pi.on("tool_call", (_event: any, ctx: any) => { execFileSync("tools/g.sh", { cwd: ctx.cwd }); return undefined; });\n}\n',
      "tools/g.sh": "#!/bin/sh\nMARK\n",
    },
    programs: ["tools/g.sh"],
    changed: "tools/g.sh",
  },
  {
    name: "dirname of $0",
    command: "sh tools/g.sh",
    files: { "tools/g.sh": '. "$(dirname "$0")/lib.sh"\n', "tools/lib.sh": "MARK\n" },
    changed: "tools/lib.sh",
  },
  { name: ". ./.env", command: ". ./.env", files: { ".env": "MARK\n" }, changed: ".env" },
  {
    name: "PATH=.",
    command: "PATH=.:$PATH; guard",
    files: { guard: "#!/bin/sh\nMARK\n" },
    programs: ["guard"],
    changed: "guard",
  },
  {
    name: "a library that a plugin of shell sources",
    files: {
      ".hookline/plugins/p/p":
        '#!/bin/sh\n[ "$1" = --schema ] && echo \'{"name":"p","description":"d","hooks":["pre_tool"]}\' && exit\n. "$(dirname "$0")/lib.sh"\n',
      ".hookline/plugins/p/lib.sh": "MARK\n",
    },
    programs: [".hookline/plugins/p/p"],
    changed: ".hookline/plugins/p/lib.sh",
  },
  {
    name: "a static import of a pi module",
    files: {
      ".pi/extensions/e.ts":
        'import { f } from "./lib/l.ts";\nexport default function (pi: any) { pi.on("tool_call", () => f()); }\n',
      ".pi/extensions/lib/l.ts": 'import { appendFileSync } from "node:fs";\nexport const f = () => { JSMARK };\n',
    },
    changed: ".pi/extensions/lib/l.ts",
  },
  {
    name: "an import() of a pi module",
    files: {
      ".pi/extensions/e.ts":
        'export default function (pi: any) { pi.on("tool_call", async () => { await import("./lib/l.ts"); return undefined; }); }\n',
      ".pi/extensions/lib/l.ts": 'import { appendFileSync } from "node:fs";\nJSMARK\nexport {};\n',
    },
    changed: ".pi/extensions/lib/l.ts",
  },
  // Beyond the table.
  g("an assigned name", "f=tools/g.sh; sh $f"),
  g("a name put together from variables", "a=too; b=ls; sh $a$b/g.sh"),
  { ...g("a default of a variable", `sh "\${NOBODY_SETS_THIS:-tools/g.sh}"`), isOpen: true },
  g("braces", "bash -c 'bash tools/{g,x}.sh'"),
  g("a split word", `sh to"ol"s/'g'.s\\h`),
  g("a line that goes on", "sh too\\\nls/g.sh"),
  g("ANSI-C quotes", "bash -c \"sh \\$'tools/\\\\x67.sh'\""),
  g("env -C", "env -C tools sh g.sh"),
  g("a here document", "sh <<'E'\nsh tools/g.sh\nE"),
  g("redirected input", "sh < tools/g.sh"),
  g("eval", "eval 'sh tools/g.sh'"),
  g("a trap", "trap 'sh tools/g.sh' EXIT"),
  g("find -exec", "find tools -name g.sh -exec sh tools/g.sh ';'"),
  { ...g("a default that is sourced", `. "\${NOBODY_SETS_THIS:-tools/g.sh}"`), isOpen: true },
  { ...g("a default that is read as a script", `sh < "\${NOBODY_SETS_THIS:-tools/g.sh}"`), isOpen: true },
  { ...g("a default that is piped to a shell", `cat "\${NOBODY_SETS_THIS:-tools/g.sh}" | sh`), isOpen: true },
  { ...g("a default that is evaluated", `eval "\${NOBODY_SETS_THIS:-sh tools/g.sh}"`), isOpen: true },
  { ...g("a default in a trap", `trap "\${NOBODY_SETS_THIS:-sh tools/g.sh}" EXIT`), isOpen: true },
  { ...g("a folder of the environment", ". $TMPDIR/g.sh"), isOpen: true },
  { ...g("a file that mktemp makes", "t=$(mktemp); cat tools/g.sh > $t; sh $t"), isOpen: true },
  { ...g("a script that is searched for", "PATH=tools:$PATH; sh $(command -v g.sh)"), isOpen: true },
  g("xargs", "echo tools/g.sh | xargs sh"),
  { ...g("xargs that divides", "echo tools/x.sh tools/g.sh | xargs -n1 sh"), isOpen: true },
  g("a function", "f() { sh tools/g.sh; }; f"),
  {
    ...g("a name with a space", 'sh "tools/my guard.sh"'),
    files: { "tools/my guard.sh": "MARK\n" },
    changed: "tools/my guard.sh",
  },
  {
    ...g("a name with an escaped space", "sh tools/my\\ guard.sh"),
    files: { "tools/my guard.sh": "MARK\n" },
    changed: "tools/my guard.sh",
  },
  {
    ...g("a name with a colon, a comma and an equals sign", "sh tools/a:b,c=d.sh"),
    files: { "tools/a:b,c=d.sh": "MARK\n" },
    changed: "tools/a:b,c=d.sh",
  },
  { ...g("data that is started by name", "sh tools/notes.md"), files: { "tools/notes.md": "sh tools/g.sh\n", ...G } },
  {
    name: "a folder that is a Python program",
    command: "python3 tools",
    files: { "tools/__main__.py": "PYMARK\n" },
    changed: "tools/__main__.py",
    needs: "python3",
  },
  {
    name: "a script without its ending",
    command: "node tools/g",
    files: { "tools/g.js": "const { appendFileSync } = require('node:fs'); JSMARK\n" },
    changed: "tools/g.js",
    needs: "node",
  },
];

/** Puts a shape into a project. */
export function lay(project: Project, { command, files, programs = [] }: Shape): void {
  for (const [path, text] of Object.entries(files))
    project.write(path, marked(project, text, "before"), programs.includes(path) ? "x" : undefined);
  if (command !== undefined)
    project.write(".jcli/hooks.yaml", `pre_tool_execution:\n  - command: ${JSON.stringify(command)}\n`);
}

/** The text of a file with its marks. */
export function marked({ marker }: Project, text: string, mark: string): string {
  return text
    .replaceAll("PYMARK", `open(${JSON.stringify(marker)}, "a").write("${mark}\\n")`)
    .replaceAll("JSMARK", `require_fs().appendFileSync(${JSON.stringify(marker)}, "${mark}\\n");`)
    .replaceAll("require_fs()", 'process.getBuiltinModule("node:fs")')
    .replaceAll("MARK", `echo ${mark} >> '${marker}'`);
}
