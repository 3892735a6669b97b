import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codeBlocks } from "../../../../scripts/code-blocks.ts";
import { formsOf, knownOf, loadReader, type ReadCommand } from "../../src/command/index.ts";
import type { Certainty } from "../../src/command/reading.ts";

const reader = await loadReader();

/** A command as a line; `?` stands for what is computed. */
const shown = ({ words }: Pick<ReadCommand, "words">): string => words.map((word) => knownOf(word) ?? "?").join(" ");

function read(text: string, certainty?: Certainty): string[] {
  const { commands } = reader.read(text);
  return commands.filter((one) => certainty === undefined || one.certainty === certainty).map(shown);
}

test.each([
  ["a here-document", "sh <<'E'\nrm victim\nE"],
  ["a here-document with tabs", "bash <<-E\n\trm victim\n\tE"],
  ["a here-document through cat", "cat <<X | sh\nrm victim\nX"],
  ["a here-string", "sh <<< 'rm victim'"],
  ["a pipe", "echo rm victim | sh"],
  ["a pipe into a group", "echo rm victim | { sh; }"],
  ["several producers", "{ echo true; printf 'rm %s\\n' victim; } | bash -s"],
  ["base64", "echo cm0gdmljdGltCg== | base64 -d | sh"],
  ["hexadecimal digits", "echo 726d2076696374696d | xxd -r -p | sh"],
  ["reversed letters", "echo mitciv mr | rev | sh"],
  ["other letters", "echo ez ivpgvz | tr a-z n-za-m | sh"],
  ["a part of a line", "echo 'xx rm victim' | cut -c 4- | sh"],
  ["a process substitution", "bash <(echo rm victim)"],
  ["an output process", "printf 'rm victim\\n' > >(sh)"],
  ["its input", "bash < <(echo rm victim)"],
  ["standard input by name", "source /dev/stdin <<< 'rm victim'"],
  ["another descriptor", "bash /dev/fd/3 3<<< 'rm victim'"],
  ["two dashes", "bash -c -- 'rm victim'"],
  ["an option behind -c", "bash -c -x 'rm victim'"],
  ["options in one word", "bash -euo pipefail -xc 'rm victim'"],
  ["eval", "eval -- 'rm victim'"],
  ["words of a shell", "sh -c '\"$@\"' _ rm victim"],
  ["a word of a shell", "sh -c 'rm \"$1\"' _ victim"],
  ["the person's shell", "$SHELL -lc 'rm victim'"],
  ["timeout", "timeout -vk 1 5 rm victim"],
  ["an abbreviated option", "timeout --sig=KILL --kill 3 5 rm victim"],
  ["ionice", "ionice --class 2 rm victim"],
  ["env -S", "env -iS'rm victim'"],
  ["env --split-string", "env --split-string='rm victim'"],
  ["an odd assignment", "env - a.b=1 rm victim"],
  ["script", "script --command='rm victim' /dev/null"],
  ["script -qc", "script -qc 'rm victim' /dev/null"],
  ["flock", "flock -nE 3 l rm victim"],
  ["flock -c", "flock l -c 'rm victim'"],
  ["find", "find . -name victim -exec true \\; -exec rm victim \\;"],
  ["taskset", "taskset 1 rm victim"],
  ["setpriv", "setpriv --no-new-privs rm victim"],
  ["time", "/usr/bin/time -o f rm victim"],
  ["runuser", "runuser -u root -- rm victim"],
  ["su", "su - bob -c 'rm victim'"],
  ["watch", "watch -n 2 rm victim"],
  ["ssh", "ssh -p 22 -o A=b host 'true; rm victim'"],
  ["docker exec", "docker -H x exec -it -u root box rm victim"],
  ["docker compose", "docker compose -f x.yml run --rm web rm victim"],
  ["kubectl", "kubectl -n x exec pod -c c -- rm victim"],
  ["kubectl without dashes", "kubectl exec pod rm victim"],
  ["kubectl run", "kubectl run p --image=i --command -- rm victim"],
  ["kubectl debug", "kubectl debug node/n -it --image=i -- chroot /host rm victim"],
  ["oc rsh", "oc rsh pod rm victim"],
  ["docker run", "docker run --rm -v a:b box rm victim"],
  ["podman", "podman run --rm box rm victim"],
  ["podman machine", "podman machine ssh 'rm victim'"],
  ["vagrant -c", "vagrant ssh box -c 'rm victim'"],
  ["vagrant", "vagrant ssh box -- rm victim"],
  ["a cloud's ssh", "gcloud compute ssh vm -- rm victim"],
  ["adb", "adb -s d shell 'rm victim'"],
  ["chroot", "chroot --userspec=u /a rm victim"],
  ["arch-chroot", "arch-chroot /mnt rm victim"],
  ["nsenter", "nsenter -t 1 -m -- rm victim"],
  ["unshare", "unshare --map-root-user -mn rm victim"],
  ["bwrap", "bwrap --ro-bind / / --dev /dev -- rm victim"],
  ["parallel", "parallel ::: 'rm victim'"],
  ["sem", "sem -j2 'rm victim'"],
  ["entr", "ls | entr -r rm victim"],
  ["strace", "strace -f -o o rm victim"],
  ["ltrace", "ltrace -S -o out rm victim"],
  ["gdb", "gdb -q --args rm victim"],
  ["lldb", "lldb -- rm victim"],
  ["rr", "rr record rm victim"],
  ["gcc -wrapper", "gcc -O2 -wrapper nice,rm,victim"],
  ["nix shell", "nix shell nixpkgs#coreutils -c rm victim"],
  ["nix-shell", "nix-shell -p x --run 'rm victim'"],
  ["npx -c", "npx -p a -c 'rm victim'"],
  ["npm exec --call", "npm exec --call='rm victim'"],
  ["uvx", "uvx --from a rm victim"],
  ["pipx", "pipx run --spec a rm victim"],
  ["bunx", "bunx --bun rm victim"],
  ["yarn workspaces", "yarn workspaces foreach -A exec rm victim"],
  ["cmake -E", "cmake -E env A=b rm victim"],
  ["meson devenv", "meson devenv -C b rm victim"],
  ["bazel --run_under", "bazel run --run_under='rm victim' //:a"],
  ["ansible", "ansible all -m shell -a 'rm victim'"],
  ["dotenv", "dotenv -f a run -- rm victim"],
  ["proxychains", "proxychains4 -q rm victim"],
  ["srun", "srun -n 2 rm victim"],
  ["npm exec", "npm --prefix x exec -- rm victim"],
  ["git bisect", "git bisect run rm victim"],
  ["git submodule", "git submodule foreach 'rm victim'"],
  ["git rebase", "git rebase -i -x 'rm victim' main"],
  ["tar", "tar xf a.tar --to-command='rm victim'"],
  ["an array", `a=(rm victim); "\${a[@]}"`],
  ["an array without quotes", `a=(rm victim); \${a[*]}`],
  ["a variable of several words", "p='nice rm victim'; $p"],
  ["an empty variable", "x=; $x rm victim"],
  ["a callback", "mapfile -C 'rm victim' -c 1 a < f"],
  ["braces", "{rm,victim}"],
  ["an export", "export x=rm; $x victim"],
  ["a background chain", "true & rm victim & wait"],
])("a command is certain behind %s", (_, text) => {
  expect(read(text, "certain")).toContain("rm victim");
});

test.each([
  ["a name reference", "declare -n r=c; c=rm; $r victim", "$r"],
  ["an assigning expansion", `x=; : \${x:=rm}; $x victim`, "$x"],
  ["an assignment in eval", "x=a; eval x=rm; $x victim", "$x"],
  ["read behind command", "x=a; command read x <<< rm; $x victim", "$x"],
  ["printf -v", "printf -v x rm; $x victim", "$x"],
  ["an assignment that comes later", "$x victim; x=rm", "$x"],
  ["an assignment in a branch", "false && x=rm; $x victim", "$x"],
  ["an assignment in a subshell", "(x=rm); $x victim", "$x"],
  ["an assignment of another command", "x=rm true; $x victim", "$x"],
  ["words that set puts there", 'set -- rm victim; "$@"', '"$@"'],
  ["an alias", "shopt -s expand_aliases\nalias zz=rm\nzz victim", "zz=rm"],
  ["an operator that evaluates", `x='$(rm victim)'; echo "\${x@P}"`, `\${x@P}`],
  ["a subscript that is evaluated", "[[ -v 'a[$(rm victim)]' ]]", "a[$(rm victim)]"],
  ["a download", "curl -s $URL | sh", undefined],
  ["a downloaded file", "curl -s $URL > x; sh x", "x"],
  ["a file of this text", "echo rm victim > x; sh ./x", "./x"],
  ["a file of this text in a folder", "echo rm victim > bin/x; bin/x", "bin/x"],
  ["a copy of a program", "cp /bin/rm ./x; ./x victim", "./x"],
  ["a link to a program", "ln -sf /bin/rm d/x && d/x victim", "d/x"],
  ["a copy in a folder", "install -m 755 /bin/rm d; d/rm victim", "d/rm"],
  ["a copy of a file of this text", "echo rm victim > a; mv a b; sh b", "b"],
  ["a text of a variable", 'bash -c "rm $x"', '"rm $x"'],
  ["a computed name", "$(which rm) victim", "$(which rm)"],
  ["a pattern as a name", "/bin/r? victim", "/bin/r?"],
  ["a makefile on the input", "make -f - <<< 'all: ; rm victim'", undefined],
  ["a prompt that is run", "PS4='$(rm victim)'; set -x", "'$(rm victim)'"],
  ["an alias of git", "git -c alias.x='!rm victim' x", "rm victim"],
  ["an option that is not known", "timeout --new-option rm victim 5", "--new-option"],
])("a command is hidden behind %s, with the word that hides it", (_, text, word) => {
  const hidden = reader.read(text).commands.filter(({ certainty }) => certainty === "hidden");
  expect(hidden.length).toBeGreaterThan(0);
  expect(hidden.map((one) => one.word)).toContain(word);
  for (const one of hidden) expect(one.reason).toMatch(/^[a-z]/);
  expect(read(text, "certain").filter((line) => line.startsWith("rm "))).toEqual([]);
});

test.each([
  ["bash, which splits a variable", "true && x='rm victim'; bash -c $x", "rm"],
  ["sed, whose escapes are its own", String.raw`sed '1e r\x6d \victim' <<< one`, "rm victim"],
  ["sqlite3, whose quotes are its own", `sqlite3 : ".shell sh -c 'rm victim'"`, "rm victim"],
  ["sqlite3, which makes one line of several", "sqlite3 : '.shell rm\nvictim'", "rm victim"],
  ["bash, which drops a backslash at the end", "rm victim \\", "rm victim"],
  ["what an editor reads in", "vim -c ':r !rm victim'", "rm victim"],
  ["an editor, which has escapes of its own", String.raw`ex -s <<< 'r !ex -s <<< "r \!rm victim"'`, "rm victim"],
  ["a filter of an editor", "ex -s <<< '%!rm victim'", "rm victim"],
  ["the make of an editor", "vim -c 'silent make! x; rm victim'", "rm victim"],
])("a text is read as it is passed by %s", (_, text, line) => {
  expect(read(text)).toContain(line);
});

test("a program that is not known may run its words", () => {
  expect(read("some-tool --fast rm victim", "unknown")).toEqual(["rm victim", "victim"]);
  expect(read("some-tool -- sh -c 'rm victim'", "unknown")).toContain("rm victim");
  expect(read("grep rm victim", "unknown")).toEqual([]);
  expect(read("nix run nixpkgs#coreutils -- rm victim", "unknown")).toContain("rm victim");
  expect(read("flatpak run some.app rm victim", "unknown")).toContain("rm victim");
  for (const text of ["cargo run -- rm victim", "gcc -o rm victim.c", "adb push rm victim", "lerna run rm victim"])
    expect(read(text).filter((line) => line.startsWith("rm"))).toEqual([]);
  expect(read("git rm victim")).toEqual(["git rm victim"]);
});

test("a command is read in every form", () => {
  const forms = (text: string): string[] => {
    const [command] = reader.read(text).commands;
    return command === undefined ? [] : formsOf(command).map((words) => shown({ words }));
  };
  expect(forms("/bin/rm x")).toEqual(["/bin/rm x", "rm x"]);
  expect(forms('"$HOME"/bin/rm x')).toEqual(["? x", "rm x"]);
  expect(forms("git -C a --no-pager -c k=v push origin")).toEqual([
    "git -C a --no-pager -c k=v push origin",
    "git push origin",
  ]);
  expect(forms("npm --prefix a publish")).toEqual(["npm --prefix a publish", "npm publish"]);
});

test("a condition, a redirection and an assignment are part of the reading", () => {
  const { commands, redirected, assigned } = reader.read(
    "a && b; x=1 c > out 2>/dev/null < in; for y in 1; do d; done",
  );
  expect(commands.map((one) => [shown(one), one.isConditional])).toEqual([
    ["a", false],
    ["b", true],
    ["c", false],
    ["d", true],
  ]);
  expect(commands[2]?.hasAssignments).toBe(true);
  expect(redirected.map(({ values, isWritten }) => [values?.[0]?.text, isWritten])).toEqual([
    ["out", true],
    ["/dev/null", true],
    ["in", false],
  ]);
  expect(assigned).toContain("y");
});

test.each([
  ["too long", `echo ${"x".repeat(1_000_000)}`],
  ["no script", "echo 'never ends"],
  ["too deep", `${"$(".repeat(3_000)}rm x`],
  ["passed through too many programs", `echo ${"a".repeat(50_000)}${" | tr a-z b-za".repeat(3_000)} | sh`],
])("a text that is %s is one hidden command", (_, text) => {
  const { commands, isRead } = reader.read(text);
  expect(isRead).toBe(false);
  expect(commands).toMatchObject([{ certainty: "hidden" }]);
});

test.each([
  ["substitutions in substitutions", `${"$(echo ".repeat(200)}rm${")".repeat(200)} victim`],
  ["a variable that is set very often", "x=a; $x b; ".repeat(9_000)],
  ["very many words of a program that is not known", `tool ${"rm ".repeat(30_000)}`],
])("%s are read", (_, text) => {
  expect(reader.read(text).commands.length).toBeGreaterThan(0);
});

test("the lines of docs/explanation/commands.md read a text", async () => {
  const page = readFileSync(new URL("../../../../docs/explanation/commands.md", import.meta.url), "utf8");
  const { text = "" } = codeBlocks(page).find(({ language }) => language === "ts") ?? {};
  const lines: string[] = [];
  const body = text.replace(/^import .*$/m, "");
  await new Function("loadReader", "console", `return (async () => {${body}})()`)(loadReader, {
    log: (...words: string[]) => lines.push(words.join(" ").trim()),
  });
  expect(lines[1]).toBe("certain rm build");
  expect(lines.at(-1)).toMatch(/^hidden .*passes sh commands on its input$/);
});
