import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type CodeBlock, codeBlocks } from "./code-blocks.ts";
import { root } from "./step.ts";

/** Matches pages whose files and commands a test follows literally. */
const FOLLOWED = /^docs\/guide\/|^README\.md$|^packages\/hookline\/README\.md$/;

/** For each page with screens, the program that captures them and fails when they differ. */
const SCREENS: Readonly<Record<string, string>> = {
  "docs/guide/hooks-panel.md": "packages/hookline/test/tui/panel-guide.test.ts",
  "docs/guide/terminal.md": "scripts/walkthrough.ts",
};

/** The state of the code blocks of some pages. */
export interface Blocks {
  readonly run: number;
  /** Blocks that are marked as not run, each with its reason. */
  readonly notRun: readonly string[];
  /** Blocks that nothing runs and that give no reason, and invalid marks. */
  readonly problems: readonly string[];
}

/** Checks each code block of the pages: it must be run, or say why not. */
export function blocksOf(pages: readonly string[]): Blocks {
  const all = pages.flatMap((page) =>
    codeBlocks(readFileSync(join(root, page), "utf8")).map((block) => ({
      where: `${page}:${block.line}`,
      ...state(page, block),
    })),
  );
  const of = (kind: State["kind"]): string[] =>
    all.flatMap(({ where, ...one }) => (one.kind === kind ? [`${where}: ${"why" in one ? one.why : ""}`] : []));
  return { run: of("run").length, notRun: of("not run"), problems: of("problem") };
}

type State = { readonly kind: "run" } | { readonly kind: "not run" | "problem"; readonly why: string };

function state(page: string, { mark, language, info, text }: CodeBlock): State {
  if (mark?.startsWith("not run: ")) return { kind: "not run", why: mark.slice("not run: ".length) };
  if (mark !== undefined) return runBy(page, mark.slice("run by ".length));
  if (language === "screen") return runBy(page, SCREENS[page] ?? "nobody");
  const isStep = language === "sh" || language === "text" || /\bfile=\S/.test(info);
  if (isStep && FOLLOWED.test(page)) return { kind: "run" };
  const examples = text
    .trim()
    .split("\n")
    .map((line) => /^npm run dev -- examples (\S+)$/.exec(line)?.[1]);
  if (examples.every((name) => name !== undefined && existsSync(join(root, "examples", name)))) return { kind: "run" };
  if (language === "json" && isJson(text)) return { kind: "run" };
  const why =
    "nobody runs this block; let a test follow it, or put <!-- run by FILE --> or <!-- not run: WHY --> before it";
  return { kind: "problem", why };
}

/** Returns the state of a block that names the file which runs it; that file must name the block's page. */
function runBy(page: string, file: string): State {
  const names = existsSync(join(root, file)) && readFileSync(join(root, file), "utf8").includes(basename(page));
  return names || file === "packages/runtime/test/examples.programs.test.ts"
    ? { kind: "run" }
    : { kind: "problem", why: `${file} is not there, or does not name ${basename(page)}` };
}

/** Whether a text is one JSON value, or one per line. */
function isJson(text: string): boolean {
  const parses = (part: string): boolean => {
    try {
      JSON.parse(part);
      return true;
    } catch {
      return false;
    }
  };
  return parses(text) || text.trim().split("\n").every(parses);
}
