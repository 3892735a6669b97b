import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { afterAll, expect, test } from "vitest";
import { judge } from "../../src/commands/judge.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "patterns-")));
const [project, home] = [join(top, "project"), join(top, "home")];
for (const folder of [project, home]) mkdirSync(folder);
/** Names that patterns tell apart, and names that look like patterns. */
const NAMES = [
  ...[
    "a",
    "b",
    "c",
    "f",
    "z",
    "A",
    "1",
    "7",
    "-",
    "_",
    "^",
    "!",
    ".a",
    ".b",
    "aa",
    "bb",
    "ab",
    "a1",
    "1a",
    "a.b",
    "a b",
  ],
  ...["a-b", "é", "😀", "]", "[", "a]", "[a]", "*", "(a)", "@(a)", "{a,b}", "\\"],
];
for (const name of NAMES) writeFileSync(join(project, name), "x");
afterAll(() => rmSync(top, { recursive: true }));

/** Pieces of words, all of which bash accepts in any order. */
const PIECES = [
  ...["\u{1f600}", "\u00e9"],
  ...[
    "a",
    "b",
    "1",
    "-",
    ".",
    "*",
    "?",
    "**",
    "\\*",
    '"*"',
    "\\[",
    "'['",
    "\\a",
    '"a"',
    "]",
    "{a,b}",
    "{a*,1}",
    "{*,1}",
  ],
  ...[
    "{1..3}",
    "{01..02}",
    "{a..c}",
    "{a..e..2}",
    "{[ab],c}",
    "a{1,b}",
    "[ab]",
    "[!a]",
    "[^a]",
    "[a-c]",
    "[a-]",
    "[-a]",
  ],
  ...[
    "[]a]",
    "[!]a]",
    "[\\]a]",
    "[a\\]]",
    '["a"b]',
    "['!'a]",
    "[*]",
    "[?a]",
    "[a[b]",
    "[A-Z]",
    "[[:digit:]]",
    "[[:xdigit:]]",
  ],
  ...["[[:punct:]]", "[[:graph:]]", "[[:word:]]", "[![:alpha:]]", "[[:alpha:][:digit:]]", "[[:blank:]]", "[[.-.]a]"],
];

/** Ways in which a word reaches a program that deletes, and the words that bash makes files of. */
const WAYS: Readonly<Record<string, readonly [command: (word: string) => string, files?: (word: string) => string]>> = {
  "as an argument": [(word) => `rm -f -- ${word}`],
  "in a loop": [(word) => `for f in ${word}; do rm -f -- "$f"; done`],
  "in an array": [(word) => `a=(${word}); rm -f -- "\${a[@]}"`],
  "as an argument of a function": [(word) => `f() { rm -f -- "$@"; }; f ${word}`],
  "as an argument of a shell": [(word) => `bash -c 'rm -f -- "$@"' _ ${word}`],
  "by printf and xargs": [(word) => `printf '%s\\0' ${word} | xargs -0 rm -f --`],
  "by ls and xargs": [(word) => `ls -d -- ${word} | xargs rm -f --`],
  "by parallel": [(word) => `parallel rm -f -- ::: ${word}`],
  "by an unquoted variable": [(word) => `x='b* 1*'; rm -f -- $x ${word}`, (word) => `b* 1* ${word}`],
  "by a substitution": [(word) => `rm -f -- $(echo '[ab]') ${word}`, (word) => `[ab] ${word}`],
  "as a file that is overwritten": [(word) => `for f in ${word}; do : > "$f"; done`],
};

/** Returns the files that bash makes of each of the words. */
function expandedByBash(words: readonly string[]): readonly (readonly string[])[] {
  const each = words.map((word) => `for f in ${word}; do [ -f "$f" ] && printf '%s\\0' "$f"; done; printf '\\1'`);
  const printed = execFileSync("bash", ["-c", `shopt -s nullglob\n${each.join("\n")}`], {
    cwd: project,
    encoding: "utf8",
  });
  return printed
    .split("\u0001")
    .slice(0, -1)
    .map((files) => files.split("\0").slice(0, -1));
}

test.each(Object.entries(WAYS))(
  "no file that bash would make of a word is overlooked: %s",
  { timeout: 120_000 },
  async (_, [command, files = (word: string) => word]) => {
    const word = array(constantFrom(...PIECES), { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join(""));
    await assert(
      asyncProperty(array(word, { minLength: 12, maxLength: 12 }), async (words) => {
        const lost = expandedByBash(words.map(files));
        for (const [at, one] of words.entries()) {
          const { verdict } = await judge(command(one), { project, home });
          if ((lost[at] ?? []).length > 0) expect([command(one), verdict]).toEqual([command(one), "ask"]);
        }
      }),
      { numRuns: 6 },
    );
  },
);
