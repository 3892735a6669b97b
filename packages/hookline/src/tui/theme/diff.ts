import { currentTheme } from "./current.ts";

const LINE = /^([+-\s])(\s*\d*)\s(.*)$/;

/**
 * Colours a diff with line numbers, as the edit tool returns it. If a single line was changed, the changed part of it
 * is inverted.
 */
export function renderDiff(diff: string): string {
  const theme = currentTheme();
  const lines = diff.split("\n").map(readLine);
  return lines
    .map((line, i) => {
      const shown = `${line.sign}${line.number}${line.number === "" ? "" : " "}${marked(lines, i)}`.replaceAll(
        "\t",
        "   ",
      );
      if (line.sign === "+") return theme.fg("toolDiffAdded", shown);
      return theme.fg(line.sign === "-" ? "toolDiffRemoved" : "toolDiffContext", shown);
    })
    .join("\n");
}

interface Line {
  readonly sign: string;
  readonly number: string;
  readonly text: string;
}

function readLine(line: string): Line {
  const [, sign = "", number = "", text = line] = LINE.exec(line) ?? [];
  return { sign, number, text };
}

/** Returns a line's text; if one line was replaced by one line, the differing part is inverted. */
function marked(lines: readonly Line[], at: number): string {
  const line = lines[at] as Line;
  const [before, after] = line.sign === "-" ? [at, at + 1] : [at - 1, at];
  const [removed, added] = [lines[before], lines[after]];
  const isPair =
    removed?.sign === "-" && added?.sign === "+" && lines[before - 1]?.sign !== "-" && lines[after + 1]?.sign !== "+";
  return isPair ? emphasised(line.text, (line === removed ? added : removed).text) : line.text;
}

function emphasised(text: string, other: string): string {
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(text.length, other.length) - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const middle = text.slice(start, text.length - end);
  if (middle === "" || start + end === 0) return text;
  return text.slice(0, start) + currentTheme().inverse(middle) + text.slice(text.length - end);
}
