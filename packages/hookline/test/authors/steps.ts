import { readFileSync } from "node:fs";

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
  /** What the commands before it must print: these lines, in this order; `…` stands for anything. */
  | { readonly kind: "output"; readonly lines: readonly string[]; readonly line: number };

/** Reads the fenced blocks of a guide: `file=PATH` are files, `sh` are commands, `text` is what these print. */
export function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  const text = readFileSync(path, "utf8");
  for (const match of text.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [, language = "", info = "", body = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    const file = /\bfile=(\S+)/.exec(info)?.[1];
    if (file !== undefined)
      steps.push({ kind: "file", path: file, text: body, executable: /\bmode=x\b/.test(info), line });
    else if (language === "sh") steps.push({ kind: "commands", text: body, line });
    else if (language === "text") steps.push({ kind: "output", lines: body.trimEnd().split("\n"), line });
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
