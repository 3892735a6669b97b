import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import dictionary from "dictionary-en";
import nspell from "nspell";
import { commandLine } from "./command-line.ts";
import { root, step } from "./step.ts";
import { gitFiles } from "./tracked.ts";
import { blocksOf } from "./unproved.ts";

/**
 * Checks the documents: links are valid, words are spelt right, and every code block either is run and does what it
 * says, or gives a reason why not. `--text` skips the steps, which are also run as tests.
 */
const { values } = commandLine({
  name: "check:docs",
  says: "Checks links, spelling, every code block in the guides and READMEs, and every example.",
  options: { text: { type: "boolean", says: "skip the steps and examples, which also run as tests" } },
});
const pages = gitFiles("*.md");
/** Reference pages are generated from data and declarations, and consist mostly of names that no dictionary has. */
const prose = pages.filter((page) => !/^(docs\/reference|api)\//.test(page) || page === "docs/reference/stability.md");
const blocks = blocksOf(prose);
const problems = [...pages.flatMap(brokenLinks), ...misspelt(prose), ...blocks.problems];
for (const problem of problems) process.stdout.write(`${problem}\n`);
for (const one of blocks.notRun) process.stdout.write(`${one} (not run)\n`);
process.stdout.write(
  `${pages.length} pages: ${problems.length} problems with links, words and code; ${blocks.run} blocks of code are run, ${blocks.notRun.length} are not\n`,
);
const steps = [
  "packages/hookline/test/authors/guide.programs.test.ts",
  "packages/hookline/test/authors/readme.programs.test.ts",
  "packages/hookline/test/tui/panel-guide.test.ts",
  "packages/runtime/test/examples.programs.test.ts",
];
process.exitCode = problems.length > 0 || (values.text !== true && !(await follow())) ? 1 : 0;

/** Follows the steps on the pages; also captures screens of a session if tmux is installed. */
async function follow(): Promise<boolean> {
  const followed = await step("vitest", ["run", ...steps], { env: { HOOKLINE_TESTS: "programs" } });
  if (spawnSync("tmux", ["-V"]).status !== 0) {
    process.stdout.write("There is no tmux: the screens of docs/guide/terminal.md were not taken again.\n");
    return followed === 0;
  }
  const screens = await step("node", ["--conditions=hookline-source", "scripts/walkthrough.ts", "--check"]);
  return followed === 0 && screens === 0;
}

/** Returns the links of a page to missing files and headings. */
function brokenLinks(page: string): string[] {
  const text = withoutCode(readFileSync(join(root, page), "utf8"));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap((match) => {
    const [target = "", anchor] = (match[1] as string).split("#");
    if (/^[a-z]+:/.test(target)) return [];
    const path = target === "" ? join(root, page) : join(root, dirname(page), target);
    const where = `${page}:${lineAt(text, match.index)}`;
    if (!existsSync(path)) return [`${where}: ${match[1]} is not there`];
    if (anchor === undefined || statSync(path).isDirectory()) return [];
    return anchorsOf(readFileSync(path, "utf8")).has(anchor)
      ? []
      : [`${where}: ${relative(root, path)} has no #${anchor}`];
  });
}

/** Returns the anchors of a page's headings, as repository hosts generate them. */
function anchorsOf(text: string): Set<string> {
  return new Set(
    [...withoutCode(text).matchAll(/^#+\s+(.*)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(/\s/g, "-"),
    ),
  );
}

/** Returns words that are neither in the dictionary nor in `docs/words.txt`. Text in code marks is not checked. */
function misspelt(all: readonly string[]): string[] {
  const speller = nspell(dictionary as never);
  const own = readFileSync(join(root, "docs/words.txt"), "utf8").split("\n");
  for (const word of own) if (word !== "" && !word.startsWith("#")) speller.add(word);
  return all.flatMap((page) => {
    const text = withoutCode(readFileSync(join(root, page), "utf8"))
      .replaceAll(/`[^`\n]*`/g, (code) => " ".repeat(code.length))
      .replaceAll(/\]\([^)]*\)|https?:\S+|<[^>]+>|\[[^\]]*\.\d[^\]]*\]/g, (part) => " ".repeat(part.length));
    return [...text.matchAll(/\p{L}[\p{L}'’]*/gu)].flatMap(({ 0: raw, index }) => {
      const word = raw.replaceAll("’", "'").replace(/'s?$/, "");
      if (word.length < 3 || speller.correct(word) || speller.correct(word.toLowerCase())) return [];
      return [`${page}:${lineAt(text, index)}: "${word}" is not known; correct it, or add it to docs/words.txt`];
    });
  });
}

/** Returns a page with its code blocks blanked, so that line numbers stay the same. */
function withoutCode(text: string): string {
  const blank = (block: string): string => block.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, blank).replaceAll(/^ {4,}\S.*$/gm, blank);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
