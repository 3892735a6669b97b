import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../authors/reader.ts";
import { Workplace } from "../support/cli.ts";
import { has } from "../support/seeds.ts";

const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));

let place: Workplace;
let path: string;

beforeAll(() => {
  place = new Workplace();
  const programs = join(place.top, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "hookline"), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
  chmodSync(join(programs, "hookline"), 0o755);
  path = `${programs}:${process.env["PATH"]}`;
  place.write(".jcli/hooks.yaml", "stop:\n  - command: 'true'\n");
  place.write("a payload.json", "{}");
  place.write("plain.json", "{}");
});
afterAll(() => place.remove());

function shell(program: string, args: readonly string[]): string[] {
  const env = { ...process.env, PATH: path, HOME: place.home, XDG_CONFIG_HOME: join(place.home, ".config") };
  const out = execFileSync(program, args, { cwd: place.project, env, encoding: "utf8" });
  return out.split("\n").filter((line) => line !== "");
}

/** Returns each shell's completions for a line with the cursor at its end, as the words that it would write. */
const OFFERS: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => shell("bash", ["--norc", "--noprofile", "-c", BASH, "bash", line]),
  zsh: (line) =>
    shell("zsh", ["-f", "-c", ZSH, "zsh", ...line.split(" ")]).map((one) =>
      (one.match(/^(?:\\:|[^:])+/)?.[0] ?? "").replaceAll("\\:", ":"),
    ),
  fish: (line) =>
    shell("fish", ["-c", `hookline completion fish | source; complete -C $argv[1]`, line]).map(
      (one) => one.split("\t")[0] ?? "",
    ),
};

/** The line that the guide has readers put into their start file. */
const SOURCED = /^ {4}(source <\(hookline completion bash\))$/m.exec(
  readFileSync(join(root, "docs/guide/install.md"), "utf8"),
)?.[1];

const BASH = `${SOURCED}
complete -p hookline | grep -q -- '-F _hookline hookline' || exit 1
COMP_LINE=$1 COMP_POINT=\${#1}
_hookline hookline
printf '%s\\n' "\${COMPREPLY[@]}"`;

const ZSH = `compdef() { : }
_files() { print -rl -- *.json }
_describe() { print -rl -- "\${(@P)2}" }
source <(hookline completion zsh)
words=("$@") CURRENT=$#
_hookline`;

test.each(["bash", "zsh", "fish"].filter(has))(
  "%s completes commands, options, their values, names and files",
  (name) => {
    const offers = (line: string): string[] => OFFERS[name]?.(line) ?? [];
    expect(offers("hookline ho")).toEqual(["hooks"]);
    expect(offers("hookline hooks fi")).toEqual(["fire"]);
    expect(offers("hookline hooks fire --exp")).toEqual(["--expect"]);
    expect(offers("hookline hooks fire --expect d")).toEqual(["deny"]);
    expect(offers("hookline hooks fire pi:tool_ca")).toEqual([name === "bash" ? "tool_call" : "pi:tool_call"]);
    expect(offers("hookline --model x/y --thinking xh")).toEqual(["xhigh"]);
    expect(offers("hookline trust approve .jc")).toContain(".jcli/hooks.yaml");
    expect(offers("hookline hooks fire tool.before --payload pl")).toContain("plain.json");
  },
);

test.skipIf(!has("bash"))("in bash, values behind = and names with blanks are whole words", () => {
  const bash = OFFERS["bash"] as (line: string) => string[];
  expect(bash("hookline hooks fire --expect=al")).toEqual(["allow"]);
  expect(bash("FOO=1 hookline hooks fi")).toEqual(["fire"]);
  place.write("~/.pi/agent/extensions/of mine.ts", "export default () => {};\n");
  expect(bash(`hookline hooks shadow ${place.home}/.pi/agent/extensions/of`)).toContain(
    `${place.home}/.pi/agent/extensions/of\\ mine.ts`,
  );
});
