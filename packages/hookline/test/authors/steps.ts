import { readFileSync } from "node:fs";
import { codeBlocks } from "../../../../scripts/code-blocks.ts";

/** One step of a guide, as its Markdown has it. */
export type Step =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly text: string;
      readonly executable: boolean;
      readonly line: number;
    }
  | { readonly kind: "commands"; readonly text: string; readonly line: number }
  /** The required output of the commands before it: these lines, in this order; `…` stands for anything. */
  | { readonly kind: "output"; readonly lines: readonly string[]; readonly line: number };

/**
 * Returns the steps that a reader of a page follows: `file=PATH` are files, `sh` are commands, `text` is their output.
 * Blocks that are marked as run elsewhere, or as not run, are left out.
 */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const { language, info, text, line, mark } of codeBlocks(readFileSync(path, "utf8"))) {
    const file = /\bfile=(\S+)/.exec(info)?.[1];
    if (mark !== undefined) continue;
    if (file !== undefined) steps.push({ kind: "file", path: file, text, executable: /\bmode=x\b/.test(info), line });
    else if (language === "sh") steps.push({ kind: "commands", text, line });
    else if (language === "text") steps.push({ kind: "output", lines: text.trimEnd().split("\n"), line });
  }
  return steps;
}

/** The first line that an output lacks behind those before it; nothing if it has all. */
export function missingLine(lines: readonly string[], output: string): string | undefined {
  const printed = output.split("\n");
  let at = 0;
  for (const line of lines) {
    const wanted = new RegExp(`^${line.split("…").map(escaped).join(".*")}$`);
    while (at < printed.length && !wanted.test(printed[at] as string)) at += 1;
    if (at === printed.length) return line;
  }
  return undefined;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
