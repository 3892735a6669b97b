import { readFileSync } from "node:fs";

/** One command of the corpus, judged in the fixture that has everything to lose. */
export interface Row {
  readonly group: string;
  readonly expect: "stop" | "pass";
  readonly command: string;
  /** Whether it is another spelling of a row. */
  readonly isSpelled: boolean;
}

function read(file: string, expect: Row["expect"]): readonly Row[] {
  let group = "";
  return readFileSync(new URL(`corpus/${file}.txt`, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line): Row[] => {
      if (line.startsWith("## ")) group = line.slice(3);
      return line === "" || line.startsWith("## ")
        ? []
        : [{ group, expect, command: unescaped(line), isSpelled: false }];
    });
}

/** Reads the line breaks and tabs of a row: `\\n` is a backslash and a letter. */
function unescaped(line: string): string {
  return line.replaceAll(/\\(\\[nt]|[nt])/g, (_, one: string) => (one === "n" ? "\n" : one === "t" ? "\t" : one));
}

type Spelling = (command: string) => string;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const coded = (text: string, encoding: "base64" | "hex"): string => Buffer.from(text).toString(encoding);
const octal = (text: string): string =>
  [...text].map((one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");

/** Ways to write a command so that it does the same. */
const SPELLINGS: readonly Spelling[] = [
  (text) => `sh -c ${quoted(text)}`,
  (text) => `bash -c ${quoted(text)}`,
  (text) => `bash -lc ${quoted(text)}`,
  (text) => `eval ${quoted(text)}`,
  (text) => `eval "${text}"`,
  (text) => `echo ${quoted(text)} | sh`,
  (text) => `printf '%s\\n' ${quoted(text)} | bash`,
  (text) => `printf ${quoted(octal(text))} | bash`,
  (text) => `printf '%b' ${quoted(octal(text))} | sh`,
  (text) => `echo -e ${quoted([...text].map((one) => `\\x${coded(one, "hex")}`).join(""))} | sh`,
  (text) => `echo ${coded(text, "base64")} | base64 -d | sh`,
  (text) => `base64 -d <<< ${coded(text, "base64")} | bash`,
  (text) => `bash -c "$(echo ${coded(text, "base64")} | base64 --decode)"`,
  (text) => `eval "$(base64 -d <<< ${coded(text, "base64")})"`,
  (text) => `echo ${coded(text, "hex")} | xxd -r -p | sh`,
  (text) => `echo ${quoted([...text].reverse().join(""))} | rev | sh`,
  (text) => `bash <<< ${quoted(text)}`,
  (text) => `bash <<'E'\n${text}\nE`,
  (text) => `sh -s <<E\n${text}\nE`,
  (text) => `cat <<'E' | bash\n${text}\nE`,
  (text) => `bash <(echo ${quoted(text)})`,
  (text) => `source <(printf %s ${quoted(text)})`,
  (text) => `. /dev/stdin <<< ${quoted(text)}`,
  (text) => `echo ${quoted(text)} > x.sh; sh x.sh`,
  (text) => `echo ${quoted(text)} > x.sh && chmod +x x.sh && ./x.sh`,
  (text) => `cat > x.sh <<'E'\n#!/bin/bash\n${text}\nE\nbash x.sh`,
  (text) => `tee x.sh <<'E' >/dev/null\n${text}\nE\nsh ./x.sh`,
  (text) => `printf '%s' ${quoted(text)} | tee x.sh | sh`,
  (text) => `f() { ${text}; }; f`,
  (text) => `function f { ${text}; }\nf`,
  (text) => `(${text})`,
  (text) => `{ ${text}; }`,
  (text) => `true && ${text}`,
  (text) => `false || ${text}`,
  (text) => `if true; then ${text}; fi`,
  (text) => `for i in 1; do ${text}; done`,
  (text) => `while ${text}; do break; done`,
  (text) => `case x in x) ${text};; esac`,
  (text) => `${text} &`,
  (text) => `! ${text}`,
  (text) => `x=$(${text})`,
  (text) => `echo \`${text}\``,
  (text) => `cat <(${text})`,
  (text) => `c=${quoted(text)}; $c`,
  (text) => `c=${quoted(text)}; eval "$c"`,
  (text) => `c=${quoted(text)}; bash -c "$c"`,
  (text) => `c=(${text}); "\${c[@]}"`,
  (text) => `trap ${quoted(text)} EXIT`,
  (text) => `alias z=${quoted(text)}; z`,
  (text) => `sudo ${text}`,
  (text) => `sudo -u root -- ${text}`,
  (text) => `env A=1 ${text}`,
  (text) => `env -i ${text}`,
  (text) => `env -S ${quoted(text)}`,
  (text) => `nohup ${text} &`,
  (text) => `nice -n 5 ${text}`,
  (text) => `timeout 10 ${text}`,
  (text) => `timeout -k 1 10 ${text}`,
  (text) => `time ${text}`,
  (text) => `command ${text}`,
  (text) => `exec ${text}`,
  (text) => `stdbuf -oL ${text}`,
  (text) => `setsid ${text}`,
  (text) => `busybox ${text}`,
  (text) => `echo | xargs ${text}`,
  (text) => `flock /tmp/l ${text}`,
  (text) => `flock /tmp/l -c ${quoted(text)}`,
  (text) => `watch -n1 ${text}`,
  (text) => `script -qc ${quoted(text)} /dev/null`,
  (text) => `su -c ${quoted(text)}`,
  (text) => `parallel ::: ${quoted(text)}`,
  (text) => `find . -maxdepth 0 -exec ${text} \\;`,
  (text) => `strace ${text}`,
  (text) => `unshare -r ${text}`,
  (text) => `systemd-run ${text}`,
  (text) => `tmux new-session -d ${quoted(text)}`,
  (text) => `screen -dm ${text}`,
  (text) => `echo ${quoted(text)} | at now`,
  (text) => `git -c alias.z=${quoted(`!${text}`)} z`,
  (text) => `git bisect run ${text}`,
  (text) => `git submodule foreach ${quoted(text)}`,
  (text) => `awk ${quoted(`BEGIN { system("${text}") }`)}`,
  (text) => `perl -e ${quoted(`system("${text}")`)}`,
  (text) => `python3 -c ${quoted(`import os; os.system("${text}")`)}`,
  (text) => `node -e ${quoted(`require("child_process").execSync("${text}")`)}`,
  (text) => `ruby -e ${quoted(`system("${text}")`)}`,
  (text) => `PROMPT_COMMAND=${quoted(text)} bash -i`,
  (text) => `make -f - <<< ${quoted(`all: ; ${text}`)}`,
  (text) => `npm exec -c ${quoted(text)}`,
  (text) => `npx -c ${quoted(text)}`,
  (text) => text.replace(/^(\w)(\w)/, "$1''$2"),
  (text) => text.replace(/^(\w)/, "\\$1"),
  (text) => text.replace(/^(\w+)/, '"$1"'),
  (text) => text.replace(/^(\w+)/, "/bin/$1"),
  (text) => text.replace(/^(\w)(\w+)/, "a=$1; $" + "{a}$2"),
  (text) => text.replace(/^(\w+)/, "p=$1; $p"),
  (text) => text.replace(/^(\w+)/, "$(echo $1)"),
  (text) => text.replace(/^(\w+)/, "$(which $1)"),
  (text) => text.replace(/^(\w+)/, "$(command -v $1)"),
  (text) => text.replace(/^(\w+)/, (name) => `$'${octal(name)}'`),
  (text) => text.replaceAll(" ", "$" + "{IFS}"),
  (text) => `{${text.replaceAll(" ", ",")}}`,
  (text) => text.replace(/^(\w+) /, "p=x$1; $" + "{p#x} "),
  (text) => text.replace(/^(\w+) /, "q=$1; p=q; $" + "{!p} "),
  (text) => text.replace(/^(\w+) /, "p=abc$1; $" + "{p:3} "),
  (text) => text.replace(/^(\w+) /, (_, name: string) => `p=${name.toUpperCase()}; \${p,,} `),
  (text) => text.replace(/ (\w+)$/, "\\\n  $1"),
  (text) => text.replace(/ (\S+)$/, (_, last: string) => ` "${last.slice(0, 1)}"'${last.slice(1)}'`),
  (text) => text.replace(/ (\S+)$/, " $(printf %s $1)"),
  (text) => text.replace(/ (\S+)$/, " ./docs/../$1"),
  (text) => text.replace(/ (\S+)$/, ' "$PWD/$1"'),
  (text) => text.replace(/ (\S+)$/, ' "$(pwd)/$1"'),
  (text) => text.replace(/^(\w+) /, "cp /bin/$1 ./zz; ./zz "),
  (text) => text.replace(/^(\w+) /, "ln -s /bin/$1 zz; ./zz "),
  (text) => `cd docs; cd ..; ${text}`,
  (text) => `cd docs && ${text.replace(/ (\S+)$/, " ../$1")}`,
  (text) => `pushd docs; popd; ${text}`,
];

/** Deletions whose spelling is varied. */
const DELETIONS = ["rm -rf src", "rm notes.txt"];

/** The same for other commands. */
const OTHERS: readonly (readonly [group: string, command: string])[] = [
  ["git", "git reset --hard"],
  ["infra", "kubectl delete namespace prod"],
];

const spelled = (group: string, expect: Row["expect"], command: string, each: number): readonly Row[] =>
  SPELLINGS.filter((_, at) => at % each === 0).map((spell) => ({
    group,
    expect,
    command: spell(command),
    isSpelled: true,
  }));

/** Harmless commands whose spelling is varied: the same ways, nothing to lose. */
const HARMLESS = ["rm -rf dist", "ls docs"];

/**
 * Commands that were written from public reports before their writer had seen the guards or the other corpus. They count
 * as stopped if the guard of commands or that of secrets stops them.
 */
export const INDEPENDENT: readonly Row[] = [...read("independent-stop", "stop"), ...read("independent-pass", "pass")];

/** A command with a text of shell that prepares a clean folder, and whether it is to be stopped in it. */
export interface StateRow {
  readonly command: string;
  readonly setup: string;
  readonly expect: Row["expect"];
}

/** Commands whose verdict depends on the state of the folder, once for each state. */
export const STATES: readonly StateRow[] = readFileSync(
  new URL("corpus/independent-states.txt", import.meta.url),
  "utf8",
)
  .split(/^## /m)
  .slice(1)
  .flatMap((block) => {
    const [command = "", ...states] = block.trimEnd().split("\n");
    return states.map((line): StateRow => {
      const [, expect, setup = ""] = /^(stop|pass): (.*)$/.exec(line) ?? [];
      return { command, setup, expect: expect === "pass" ? "pass" : "stop" };
    });
  });

/** The whole corpus: rows by hand, and their other spellings. */
export const CORPUS: readonly Row[] = [
  ...read("stop", "stop"),
  ...read("pass", "pass"),
  ...DELETIONS.flatMap((command) => spelled("rm-evasion", "stop", command, 1)),
  ...OTHERS.flatMap(([group, command]) => spelled(group, "stop", command, 3)),
  ...HARMLESS.flatMap((command) => spelled("benign-spelled", "pass", command, 1)),
];
