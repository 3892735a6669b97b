import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import dictionary from "dictionary-en";
import nspell from "nspell";
import { commandLine } from "./command-line.ts";
import { root, step } from "./step.ts";
import { gitFiles } from "./tracked.ts";

/**
 * Checks the documents: links lead somewhere, words are spelt, and every step and program in the guides does what it
 * says. With `--text` the steps, which are among the tests too, are left out.
 */
const { values } = commandLine({
  name: "check:docs",
  says: "Links, spelling, every step of the guides, every example.",
  options: { text: { type: "boolean", says: "without the steps and examples, which are among the tests too" } },
});
const pages = gitFiles("*.md");
const problems = [...pages.flatMap(brokenLinks), ...misspelt(pages)];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${pages.length} pages: ${problems.length} broken links and unknown words\n`);
const steps = ["packages/hookline/test/authors/guide.test.ts", "packages/runtime/test/examples.test.ts"];
const followed = values.text ? 0 : await step("vitest", ["run", ...steps]);
process.exitCode = problems.length > 0 ? 1 : followed;

/** Links of a page to files and headings that are not there. */
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

/** The anchors of a page's headings, as hosts of repositories make them. */
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

/** Words that neither the dictionary nor `docs/words.txt` has. Names in code marks are not words. */
function misspelt(all: readonly string[]): string[] {
  const speller = nspell(dictionary as never);
  const own = readFileSync(join(root, "docs/words.txt"), "utf8").split("\n");
  for (const word of own) if (word !== "" && !word.startsWith("#")) speller.add(word);
  return all
    .filter((page) => !page.startsWith("docs/reference/"))
    .flatMap((page) => {
      const text = withoutCode(readFileSync(join(root, page), "utf8"))
        .replaceAll(/`[^`\n]*`/g, (code) => " ".repeat(code.length))
        .replaceAll(/\]\([^)]*\)|https?:\S+|<[^>]+>|\[[^\]]*\.\d[^\]]*\]/g, (part) => " ".repeat(part.length));
      return [...text.matchAll(/\p{L}[\p{L}'’]*/gu)].flatMap(({ 0: raw, index }) => {
        const word = raw.replaceAll("’", "'").replace(/'s?$/, "");
        if (word.length < 3 || speller.correct(word) || speller.correct(word.toLowerCase())) return [];
        return [`${page}:${lineAt(text, index)}: "${word}" is not known; mend it, or add it to docs/words.txt`];
      });
    });
}

/** A page with its code blocks blank, so that lines keep their numbers. */
function withoutCode(text: string): string {
  const blank = (block: string): string => block.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, blank).replaceAll(/^ {4,}\S.*$/gm, blank);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
