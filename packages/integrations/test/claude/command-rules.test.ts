import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { type CommandReader, loadReader } from "../../../runtime/src/command/reader.ts";
import type { Doubt, RuleUse } from "../../src/claude/hooks/bash-rule.ts";
import { readRule } from "../../src/claude/hooks/rule.ts";
import { Wildcard } from "../../src/claude/hooks/wildcard.ts";

let shell: CommandReader;
beforeAll(async () => {
  shell = await loadReader();
});

type Held = false | "certain" | "possible" | Doubt["kind"];

function holding(rule: string, command: string, use: RuleUse): Held {
  const read = readRule(rule, use);
  if (!read.ok) throw new Error(read.problem);
  const world = { cwd: NO_HOME, home: NO_HOME, folder: NO_HOME, files: systemFiles, shell };
  const held = read.rule.holds({ tool_name: "Bash", tool_input: { command } }, world);
  return typeof held === "object" ? held.kind : held;
}

function holds(rule: string, command: string, use: RuleUse = "if"): boolean {
  return holding(rule, command, use) !== false;
}

type Row = readonly [rule: string, command: string, expected: boolean];

describe("patterns of commands, in every kind of rule", () => {
  it.each<Row>([
    ["Bash", "anything", true],
    ["Bash(*)", "anything", true],
    ["Bash(npm run build)", "npm run build", true],
    ["Bash(npm run build)", "npm run build:all", false],
    ["Bash(npm run build)", "npm run build --watch", false],
    ["Bash(npm run test *)", "npm run test", true],
    ["Bash(npm run test *)", "npm run test unit", true],
    ["Bash(npm run test *)", "npm run tests", false],
    ["Bash(npm run test:*)", "npm run test unit", true],
    ["Bash(npm run test:*)", "npm run test:unit", false],
    ["Bash(ls *)", "ls", true],
    ["Bash(ls *)", "ls -la", true],
    ["Bash(ls *)", "lsof", false],
    ["Bash(ls*)", "lsof", true],
    ["Bash(ls:*)", "ls -la", true],
    ["Bash(ls:*)", "lsof", false],
    ["Bash(* install)", "npm install", true],
    ["Bash(* install)", "npm install x", false],
    ["Bash(git * main)", "git push origin main", true],
    ["Bash(git * main)", "git push origin main2", false],
    ["Bash(* --help *)", "npm --help", true],
    ["Bash(* --version)", "node --version", true],
    ["Bash(git:* push)", "git push", false],
    ["Bash(git *)", "npm test && git push", true],
    ["Bash(git *)", "npm test; git push", true],
    ["Bash(git *)", "npm test || git push", true],
    ["Bash(git *)", "npm test | git push", true],
    ["Bash(git *)", "npm test |& git push", true],
    ["Bash(git *)", "npm test & git push", true],
    ["Bash(git *)", "npm test\ngit push", true],
    ["Bash(git *)", "echo git push", false],
    ["Bash(git *)", "echo 'x; git push'", false],
    ["Bash(git *)", "# git push\ntrue", false],
    ["Bash(rm *)", "timeout 30 rm x", true],
    ["Bash(rm *)", "timeout -k 5 -s KILL 30s rm x", true],
    ["Bash(rm *)", "time -p rm x", true],
    ["Bash(rm *)", "nice -n 5 rm x", true],
    ["Bash(rm *)", "nice -5 rm x", true],
    ["Bash(rm *)", "nohup rm x", true],
    ["Bash(rm *)", "stdbuf -oL -e L rm x", true],
    ["Bash(rm *)", "command rm x", true],
    ["Bash(rm *)", "builtin rm x", true],
    ["Bash(rm *)", "noglob rm x", true],
    ["Bash(rm *)", "nohup nice timeout 3 rm x", true],
    ["Bash(rm *)", "command -v rm", false],
    ["Bash(grep *)", "ls | xargs grep pattern", true],
    ["Bash(rm *)", "git rm x", false],
    ["Bash(rm *)", "rmdir x", false],
  ])("%s on %j: %s", (rule, command, expected) => {
    expect(holds(rule, command, "if")).toBe(expected);
    expect(holds(rule, command, "deny")).toBe(expected);
    expect(holds(rule, command, "ask")).toBe(expected);
  });

  it.each([
    "rm x",
    "rm\tx",
    "  rm   x",
    "(rm x)",
    "{ rm x; }",
    "! rm x",
    "for f in a; do rm x; done",
    "while rm x; do :; done",
    "until false; do rm x; done",
    "if true; then :; elif rm x; then :; fi",
    "if true; then :; else rm x; fi",
    "case a in a) rm x ;; esac",
    "select i in a; do rm x; done",
    "f() { rm x; }; f",
    "coproc rm x",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "$(rm x)"',
    "echo `echo \\`rm x\\``",
    "cat <(rm x)",
    "tee >(rm x)",
    "cat <<EOF\n$(rm x)\nEOF",
    "cat <<< $(rm x)",
    "x=$(rm x)",
    "x=($(rm x))",
    "declare x=$(rm x)",
    "a[$(rm x)]=1",
    `echo $${"{"}x:-$(rm x)}`,
    "echo $(( $(rm x) ))",
    "(( a = $(rm x) ))",
    "[[ -n $(rm x) ]]",
    "true > $(rm x)",
    "for f in $(rm x); do :; done",
    "for ((i = $(rm x); ; )); do :; done",
    "case $(rm x) in esac",
    "A=1 B=2 rm x",
    "> out rm x",
    "((rm x))",
    "rm x 2> /dev/null",
    "r\\\nm x",
    'r"m" x',
    "'rm' x",
    "\\rm x",
    "$'\\x72m' x",
    "{rm,x}",
    "p=rm; $p x",
    'p="timeout 5 rm x"; $p',
    "p='nice rm'; $p x",
    "if then",
    'echo "never ends',
    "echo $(rm",
  ])("sees rm in %j, for a filter and for a denial", (command) => {
    expect(holds("Bash(rm *)", command, "if")).toBe(true);
    expect(holds("Bash(rm *)", command, "deny")).toBe(true);
  });

  it.each([
    "echo rm x",
    "ls 'rm x'",
    "cat <<'EOF'\n$(rm x)\nEOF",
    "farm x",
    "echo $(date)",
    "git commit -m 'rm x'",
    "# rm x",
    "cat rm",
  ])("sees no rm in %j", (command) => {
    expect(holds("Bash(rm *)", command, "if")).toBe(false);
    expect(holds("Bash(rm *)", command, "deny")).toBe(false);
  });
});

describe("the filter of a handler", () => {
  it.each<Row>([
    ["Bash(git *)", "FOO=bar git push", true],
    ["Bash(rm *)", "echo $(rm -rf /)", true],
    ["Bash(rm *)", "echo $(date)", false],
    ["Bash(git push *)", "echo $(date)", true],
    ["Bash(git push *)", "echo `date`", true],
    ["Bash(git push *)", "echo $HOME", true],
    ["Bash(git push *)", "echo '$HOME'", false],
    ["Bash(git *)", "git 'unterminated", true],
    ["Bash(git *)", "echo ')' (", true],
    ["Bash(git commit:*)", "git commit -m x", true],
    ["Bash(git commit *)", "git commit -m x", true],
    ["Bash(git commit:*)", "git commits", false],
    ["Bash(grep *)", "xargs -n1 grep x", true],
    ["Bash(rm *)", "sudo rm x", true],
    ["Bash(rm *)", "bash -c 'rm x'", true],
    ["Bash(rm *)", "$PROGRAM x", true],
    ["Bash(rm *)", "some-program rm x", false],
  ])("%s on %j: %s", (rule, command, expected) => {
    expect(holds(rule, command, "if")).toBe(expected);
  });
});

describe("rules that deny and ask", () => {
  it.each([
    "sudo -u bob rm x",
    "/usr/bin/env -u A B=1 rm x",
    "env -S 'rm x'",
    "exec rm x",
    "setsid rm x",
    "xargs -n1 rm",
    "xargs -I{} rm {}",
    "find . -name a -exec rm {} \\;",
    "find . -ok rm {} +",
    "bash -c 'rm x'",
    "/bin/sh -ec 'true; rm x'",
    "bash -c \"bash -c 'rm x'\"",
    "eval 'rm x'",
    "eval rm x",
    "trap 'rm x' EXIT",
    "su -c 'rm x' bob",
    "flock lock rm x",
    "watch -n 2 rm x",
    "watch 'rm x'",
    "flock lock -c 'rm x'",
    'nohup sudo timeout 3 bash -c "nice rm x"',
    'bash -c "echo \'never ends"',
    "eval $(cat commands)",
    'bash -c "$1"',
    "$PROGRAM x",
    `$${"{"}PROGRAM:-ls} x`,
    "$(which rm) x",
    `${"nice ".repeat(40)}rm x`,
    "echo x | $TOOL",
  ])("look through %j", (command) => {
    expect(holds("Bash(rm *)", command, "deny")).toBe(true);
    expect(holds("Bash(rm *)", command, "ask")).toBe(true);
  });

  it.each<readonly [string, string, Held]>([
    ["Bash(git push *)", "git $(echo push)", "certain"],
    ["Bash(git push *)", "git $(get)", "hidden"],
    ["Bash(git push *)", "x=push; git $x", "certain"],
    ["Bash(git push *)", "x=push; x=pull; git $x", "hidden"],
    ["Bash(git push *)", "x=; git $x push", "certain"],
    ["Bash(git push *)", "git push origin $BRANCH", "certain"],
    ["Bash(git push *)", 'git commit -m "$MESSAGE"', false],
    ["Bash(git push *)", "echo $HOME", false],
    ["Bash(git push *)", "echo $(date)", false],
    ["Bash(rm -rf *)", 'rm "build/$f"', false],
    ["Bash(rm -rf *)", 'rm "$f"', "hidden"],
    ["Bash(rm -rf /*)", "rm -rf $PWD/x", "hidden"],
    ["Bash(rm -rf /*)", "rm -rf x", false],
    ["Bash(git push *)", "diff <(git log) <(ls)", false],
    ["Bash(curl *)", "sudo apt install curl", false],
    ["Bash(python *)", ".venv/bin/python x.py", "certain"],
    ["Bash(rm *)", "'rm' x", "certain"],
    ["Bash(rm *)", "echo 'never ends", "hidden"],
    ["Bash(rm *)", `echo ${"x".repeat(200_000)}`, "hidden"],
    ["Bash(rm *)", `echo ${"x".repeat(50_000)}`, false],
  ])("%s on %j: %s", (rule, command, expected) => {
    expect(holding(rule, command, "deny")).toBe(expected);
  });
});

describe("a deny rule about rm", () => {
  it.each<readonly [Held, string]>([
    ["certain", "select i in a; do rm x; done <<< 1"],
    ["certain", "case a in $(rm x)) ;; esac"],
    ["certain", "[[ a =~ $(rm x) ]]"],
    ["certain", "(( a[$(rm x)] ))"],
    ["certain", "for ((i = $(rm x); i < 1; i++)); do :; done"],
    ["certain", "command -p -- rm x"],
    ["certain", "(exec -a other rm x)"],
    ["certain", "compgen -C 'rm x' a"],
    ["certain", "hash -p /bin/rm foo; foo x"],
    ["certain", "fish -c 'rm x'"],
    ["certain", "at now <<< 'rm x'"],
    ["certain", "echo '0 5 * * * rm x' | crontab -"],
    ["certain", "su root <<< 'rm x'"],
    ["certain", "su root -- -c 'rm x'"],
    ["certain", "rsync -avze 'rm x' a b:"],
    ["certain", "tar cf a b --checkpoint-action=exec='rm x'"],
    ["certain", "tar -cMf a -F 'rm x' b"],
    ["certain", "zip a b -T -TT 'rm x'"],
    ["certain", "zip a b -T --unzip-command='rm x'"],
    ["certain", "ssh -o ProxyCommand='rm x' h true"],
    ["certain", "scp -oProxyCommand='rm x' a h:"],
    ["certain", "man -H'rm x' ls"],
    ["certain", "git grep -O'rm x' a"],
    ["certain", "nc -e 'rm x' h 1"],
    ["certain", "go test -exec 'rm x'"],
    ["certain", "cargo watch -- rm x"],
    ["certain", "just --command rm x"],
    ["certain", "gdb --args rm x"],
    ["certain", "tmux send-keys -t a 'rm x' Enter"],
    ["hidden", ": $(coproc rm x)"],
    ["hidden", "/bin/r? x"],
    ["hidden", "git -c pager.log='rm x' log"],
    ["hidden", "git config core.editor 'rm x'"],
    ["hidden", "git clone 'ext::rm x'"],
    ["hidden", "GIT_CONFIG_VALUE_0='rm x' git log"],
    ["hidden", "env GIT_SSH_COMMAND='rm x' git fetch"],
    ["hidden", "export 'PAGER=rm x'"],
    ["hidden", "BASH_ENV='$(rm x)' bash -c :"],
    ["hidden", "npm pkg set scripts.x='rm x'"],
    ["hidden", "make -f <(echo 'a:; rm x')"],
    ["hidden", "awk '{ system(\"rm \" $1) }'"],
    ["hidden", "awk 'BEGIN { \"rm x\" | getline }'"],
    ["hidden", "sed '1e rm x' f"],
    ["hidden", "sed 's/.*/rm x/e' f"],
    ["hidden", "vim -c ':silent !rm x' f"],
    ["hidden", "less '+!rm x' f"],
    ["hidden", "ed f <<< '!rm x'"],
    ["hidden", "gdb -batch -ex 'shell rm x'"],
    ["hidden", "expect -c 'spawn rm x'"],
    ["hidden", "psql -c '\\! rm x'"],
    ["hidden", "sqlite3 a '.shell rm x'"],
    ["hidden", "socat - EXEC:'rm x'"],
    ["hidden", "python3 -c 'import os; os.system(\"rm x\")'"],
    ["hidden", 'python3 <<< \'subprocess.run(["rm", "-f", x])\''],
    ["hidden", 'node -e \'require("child_process").execSync("rm x")\''],
    ["hidden", "perl -e 'system(q(a)); `rm x`'"],
    [false, "sudo -l rm"],
    [false, "rsync -av -e 'ssh -p 22' rm h:"],
    [false, "screen -r rm"],
    [false, "at -l rm"],
    [false, "mail -s 'rm x' a <<< b"],
    [false, "sed 's/rm x/the end/' f"],
    [false, "awk '/rm x/ { print \"rm x\" }' f"],
    [false, "python3 -c 'print(\"rm x\")'"],
    [false, "vim -c 'set number' rm"],
    [false, "psql -c 'select rm from x'"],
    [false, "git config user.name 'rm x'"],
    [false, "cmake -E rm -f x"],
    [false, "make CC=rm"],
  ])("is %s about %s", (expected, command) => {
    expect(holding("Bash(rm *)", command, "deny")).toBe(expected);
  });
});

describe("rules that allow", () => {
  it.each<Row>([
    ["Bash(npm test *)", "npm test", true],
    ["Bash(npm test *)", "timeout 30 npm test", true],
    ["Bash(npm test *)", "npm test && rm x", false],
    ["Bash(npm test *)", "npm test $(rm x)", false],
    ["Bash(npm test *)", "npm test $X", true],
    ["Bash(npm *)", "npm `ls`", false],
    ["Bash(npm test)", "npm $X", false],
    ["Bash(npm $X)", "npm $X", false],
    ["Bash(npm test *)", "npm test > file", false],
    ["Bash(npm test *)", "npm test 2> /dev/null", true],
    ["Bash(npm test *)", "LD_PRELOAD=x npm test", false],
    ["Bash(npm test *)", "npm test 'never ends", false],
    ["Bash(grep *)", "xargs -n1 grep x", false],
    ["Bash(timeout *)", "timeout 3 rm x", false],
    ["Bash(bash *)", "echo hi", false],
  ])("%s on %j: %s", (rule, command, expected) => {
    expect(holds(rule, command, "allow")).toBe(expected);
  });
});

const WRAPPERS = ["timeout 5", "time", "nice -n 3", "nohup", "stdbuf -oL", "command", "builtin", "A=1", "nice"];
const FRAMES: readonly ((command: string) => string)[] = [
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `true && ${command}`,
  (command) => `false || ${command}`,
  (command) => `${command} | cat`,
  (command) => `cat |& ${command}`,
  (command) => `sleep 1 & ${command}`,
  (command) => `true\n${command}`,
  (command) => `if true; then ${command}; fi`,
  (command) => `for f in 1 2; do ${command}; done`,
  (command) => `while ${command}; do break; done`,
  (command) => `case x in x) ${command} ;; esac`,
  (command) => `echo $( ${command})`,
  (command) => `echo "$( ${command})"`,
  (command) => `x=$( ${command})`,
  (command) => `cat <(${command})`,
  (command) => `f() { ${command}; }`,
  (command) => `[[ -n $( ${command}) ]]`,
  (command) => `cat <<EOF\n$( ${command})\nEOF\n`,
];

describe("whatever the model writes", () => {
  it("matches a denied command within any wrappers and frames", () => {
    const wrapped = fc.array(fc.constantFrom(...WRAPPERS), { maxLength: 4 });
    const framed = fc.array(fc.constantFrom(...FRAMES), { maxLength: 4 });
    fc.assert(
      fc.property(wrapped, framed, fc.constantFrom("if", "deny", "ask"), (wrappers, frames, use) => {
        const inner = [
          ...wrappers.filter((one) => one === "A=1"),
          ...wrappers.filter((one) => one !== "A=1"),
          "rm -rf x",
        ];
        const command = frames.reduce((text, frame) => frame(text), inner.join(" "));
        expect(holds("Bash(rm *)", command, use as RuleUse), command).toBe(true);
        expect(holds("Bash(nothere *)", inner.join(" "), "deny")).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("answers for every text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "rm",
        " ",
        "$(",
        ")",
        "`",
        "'",
        '"',
        "\\",
        "\n",
        ";",
        "&&",
        "|",
        "<<E",
        "{",
        "}",
        "${",
        "$",
        "((",
        "[[",
        "if ",
        "\0",
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        for (const use of ["if", "deny", "allow"] as const) holding("Bash(rm *)", pieces.join(""), use);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<readonly [string, string]>([
    ["substitutions in substitutions", `${"$(".repeat(40_000)}rm x${")".repeat(40_000)}`],
    ["quoted ones", `${'"$('.repeat(30_000)}rm x`],
    ["processes in processes", `${"<(".repeat(300)}rm x${")".repeat(300)}`],
    ["subshells in subshells", `${"(".repeat(49_000)}rm x${")".repeat(49_000)}`],
    ["backticks", "`".repeat(90_000)],
    [
      "variables that double",
      `a=rm;${Array.from({ length: 60 }, (_, at) => `a${at + 1}=$a${at || ""}$a${at || ""};`).join("")} $a60 x`,
    ],
    ["a long value many times", `x=${"r".repeat(40_000)}; ${"$x ".repeat(15_000)}`],
    ["a value in many forms", `${Array.from({ length: 60 }, (_, at) => `x=${at};`).join("")} ${"$x".repeat(20_000)}`],
    ["very many wrappers", `${"nice ".repeat(19_000)}rm x`],
    ["evals in evals", `${"eval ".repeat(3_000)}rm x`],
  ])("is done with %s", (_, command) => {
    expect(holding("Bash(rm *)", command, "deny")).toBe("hidden");
    expect(["certain", "possible", "hidden", false]).toContain(holding("Bash(*a*a*a*a*a*a*a*a*b)", command, "if"));
  });

  it("finishes on patterns of many stars", () => {
    expect(holds(`Bash(${"*a".repeat(300)}*b)`, "a".repeat(90_000), "deny")).toBe(true);
    expect(holds(`Bash(*${"a".repeat(50)}b)`, "a".repeat(90_000), "deny")).toBe(false);
  });
});

describe("wildcards", () => {
  it("agree with an expression of the same meaning", () => {
    const pattern = fc.array(fc.constantFrom("a", "b", " ", "*"), { maxLength: 8 });
    const text = fc.array(fc.constantFrom("a", "b", " "), { maxLength: 10 });
    fc.assert(
      fc.property(pattern, text, (parts, given) => {
        const expression = new RegExp(`^${parts.join("").replaceAll(/\*+/g, ".*")}$`, "s");
        expect(new Wildcard(parts.join("")).matches(given.join(""))).toBe(expression.test(given.join("")));
      }),
      { numRuns: 2_000 },
    );
  });
});
