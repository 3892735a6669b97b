import { appendFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Project } from "./kit.ts";

/** The files that each hook runs when it may. */
export const PARTS = {
  check: ["lib", "jcli"],
  second: ["second"],
  plugin: ["plugin"],
  pi: ["deep", "rule", "pack", "pi", "late"],
  omp: ["omp"],
} as const;
/** The name of a hook of the furnished project. */
export type Part = keyof typeof PARTS;

/** One way to change a project. */
export interface Mutation {
  readonly name: string;
  /** The definitions that must be asked about again; everything else goes on running. */
  readonly stops: readonly Part[];
  apply(project: Project): void;
}

const jcli: readonly Part[] = ["check", "second"];
const edit = (path: string, from: string | RegExp, to: string) => (at: Project) =>
  at.write(path, at.read(path).replace(from, to));
/** Adds text to the end of a file. */
export const append = (path: string, text: string) => (at: Project) => appendFileSync(at.path(path), text);

/** Thirty ways to change a project that was approved. */
export const MUTATIONS: readonly Mutation[] = [
  { name: "a letter of a command", stops: jcli, apply: edit(".jcli/hooks.yaml", "--flag", "--flog") },
  { name: "a filter", stops: jcli, apply: append(".jcli/hooks.yaml", "    filter: { tool_name: Bash }\n") },
  { name: "a failure policy", stops: jcli, apply: append(".jcli/hooks.yaml", "    on_error: abort\n") },
  {
    name: "the event of a hook",
    stops: jcli,
    apply: edit(".jcli/hooks.yaml", "pre_tool_execution", "post_send_message"),
  },
  {
    name: "the order of two hooks",
    stops: jcli,
    apply: (at) =>
      at.write(
        ".jcli/hooks.yaml",
        "pre_tool_execution:\n  - command: scripts/second.sh --flag\n  - command: sh scripts/check.sh\n",
      ),
  },
  {
    name: "one more hook",
    stops: jcli,
    apply: (at) => append(".jcli/hooks.yaml", `  - command: echo more >> '${at.marker}'\n`)(at),
  },
  { name: "a script's last byte", stops: ["check"], apply: append("scripts/check.sh", " ") },
  { name: "a line of a script", stops: ["check"], apply: append("scripts/check.sh", "echo evil\n") },
  { name: "a carriage return", stops: ["check"], apply: edit("scripts/check.sh", "\n", "\r\n") },
  { name: "a NUL byte", stops: ["second"], apply: append("scripts/second.sh", "\0") },
  {
    name: "a byte that is no UTF-8",
    stops: ["second"],
    apply: (at) => appendFileSync(at.path("scripts/second.sh"), Buffer.from([0xff])),
  },
  {
    name: "a byte order mark",
    stops: ["second"],
    apply: (at) => at.write("scripts/second.sh", `\ufeff${at.read("scripts/second.sh")}`),
  },
  { name: "a zero-width character", stops: ["second"], apply: append("scripts/second.sh", "#\u200b\n") },
  { name: "an empty script", stops: ["check"], apply: (at) => writeFileSync(at.path("scripts/check.sh"), "") },
  { name: "a script that is gone", stops: ["second"], apply: (at) => rmSync(at.path("scripts/second.sh")) },
  { name: "what a script sources", stops: ["check"], apply: append("scripts/lib.sh", "true\n") },
  {
    name: "a script that is a link now",
    stops: ["second"],
    apply: (at) => {
      at.write("elsewhere.sh", at.read("scripts/second.sh"), "x");
      rmSync(at.path("scripts/second.sh"));
      symlinkSync("../elsewhere.sh", at.path("scripts/second.sh"));
    },
  },
  {
    name: "a folder of scripts that is a link now",
    stops: jcli,
    apply: (at) => {
      renameSync(at.path("scripts"), at.path("moved"));
      symlinkSync("moved", at.path("scripts"));
    },
  },
  { name: "a plugin's text", stops: ["plugin"], apply: append(".hookline/plugins/plugin", "# more\n") },
  {
    name: "a plugin in another plugin's place",
    stops: ["plugin"],
    apply: (at) => at.write(".hookline/plugins/plugin", "#!/bin/sh\nexit 0\n", "x"),
  },
  {
    name: "a plugin that is a link now",
    stops: ["plugin"],
    apply: (at) => {
      at.write(".hookline/plugins/real", at.read(".hookline/plugins/plugin"), "x");
      rmSync(at.path(".hookline/plugins/plugin"));
      symlinkSync("real", at.path(".hookline/plugins/plugin"));
    },
  },
  { name: "a module's comment", stops: ["pi"], apply: append(".pi/extensions/ext.ts", "// more\n") },
  {
    name: "what a module imports",
    stops: ["pi"],
    apply: append(".pi/extensions/lib/rule.ts", "export const more = 1;\n"),
  },
  { name: "what an import imports", stops: ["pi"], apply: edit(".pi/extensions/lib/deep.ts", "() => 1", "() => 2") },
  { name: "what a module imports later", stops: ["pi"], apply: append(".pi/extensions/lib/late.ts", "// more\n") },
  { name: "data that a module imports", stops: ["pi"], apply: edit(".pi/extensions/lib/data.json", "1", "2") },
  {
    name: "the entry of a package that a module imports",
    stops: ["pi"],
    apply: append("node_modules/pack/index.js", "// more\n"),
  },
  {
    name: "another file where the import led",
    stops: ["pi"],
    apply: (at) => {
      at.write(".pi/extensions/lib/deep.ts/index.ts".replace("deep.ts/", "other/"), "export const deep = () => 3;\n");
      edit(".pi/extensions/lib/rule.ts", "./deep.ts", "./other")(at);
    },
  },
  { name: "an import that is gone", stops: ["pi"], apply: (at) => rmSync(at.path(".pi/extensions/lib/deep.ts")) },
  { name: "a hook's text", stops: ["omp"], apply: edit(".omp/hooks/pre/guard.ts", "undefined", "{ block: false }") },
  {
    name: "another name for the same bytes",
    stops: ["omp"],
    apply: (at) => renameSync(at.path(".omp/hooks/pre/guard.ts"), at.path(".omp/hooks/pre/Guard.ts")),
  },
  {
    name: "new code in a hooks' folder",
    stops: ["plugin"],
    apply: (at) => {
      at.write(".pi/extensions/new.ts", at.read(".omp/hooks/pre/guard.ts").replaceAll('"omp', '"new'));
      at.write(".hookline/plugins/new", `#!/bin/sh\necho new >> '${at.marker}'\n`, "x");
      at.write(".jcli/hooks/new/HOOK.yaml", `events: [pre_tool_execution]\ncommand: echo new >> '${at.marker}'\n`);
    },
  },
];
