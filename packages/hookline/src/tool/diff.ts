import { createTwoFilesPatch, diffLines, FILE_HEADERS_ONLY, formatPatch } from "diff";

const CONTEXT_LINES = 4;

/** The largest number of changed lines for which the smallest diff is computed: the cost grows quadratically. */
const MAX_EDIT_LENGTH = 1000;

/** The change that an edit has made, for people and for programs. */
export interface EditDetails {
  /** Numbered lines with some unchanged ones around them; changed lines are marked with `+` or `-`. */
  readonly diff: string;
  /** A unified patch. */
  readonly patch: string;
  /** The number of the first changed line in the new text, from 1. */
  readonly firstChangedLine?: number | undefined;
}

/** Describes the change from one text to another. Both must use `\n` as line break. */
export function describeChange(path: string, before: string, after: string): EditDetails {
  const parts = diffLines(before, after, { maxEditLength: MAX_EDIT_LENGTH });
  const runs = parts ? parts.map(runOf) : wholeBlock(before, after);
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  return { ...numbered(runs, before, after), patch: patch ?? blockPatch(path, runs, before, after) };
}

interface Run {
  readonly kind: "same" | "added" | "removed";
  readonly lines: readonly string[];
}

function runOf(part: { added: boolean; removed: boolean; value: string }): Run {
  return { kind: part.added ? "added" : part.removed ? "removed" : "same", lines: linesOf(part.value) };
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

const TERMINATED = /[^\n]*\n|[^\n]+/g;

/** Describes a change as one replaced block, without the equal lines at both ends. */
function wholeBlock(before: string, after: string): Run[] {
  const old = before.match(TERMINATED) ?? [];
  const now = after.match(TERMINATED) ?? [];
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const run = (kind: Run["kind"], terminated: readonly string[]): Run => ({
    kind,
    lines: linesOf(terminated.join("")),
  });
  return [
    run("same", old.slice(0, head)),
    run("removed", old.slice(head, old.length - tail)),
    run("added", now.slice(head, now.length - tail)),
    run("same", old.slice(old.length - tail)),
  ].filter(({ lines }) => lines.length > 0);
}

function numbered(runs: readonly Run[], before: string, after: string): Omit<EditDetails, "patch"> {
  const width = String(Math.max(before.split("\n").length, after.split("\n").length)).length;
  const output: string[] = [];
  const row = (mark: string, number: number | "", line: string) =>
    output.push(`${mark}${String(number).padStart(width)} ${line}`);
  let oldLine = 1;
  let newLine = 1;
  let firstChangedLine: number | undefined;
  for (const [index, run] of runs.entries()) {
    const count = run.lines.length;
    if (run.kind === "same") {
      const head = index > 0 ? CONTEXT_LINES : 0;
      const tail = index < runs.length - 1 ? CONTEXT_LINES : 0;
      const cut = count > head + tail;
      for (const [at, line] of run.lines.entries()) {
        if (!cut || at < head || at >= count - tail) row(" ", oldLine + at, line);
        else if (at === head) row(" ", "", "...");
      }
    } else {
      firstChangedLine ??= newLine;
      const first = run.kind === "added" ? newLine : oldLine;
      for (const [at, line] of run.lines.entries()) row(run.kind === "added" ? "+" : "-", first + at, line);
    }
    if (run.kind !== "added") oldLine += count;
    if (run.kind !== "removed") newLine += count;
  }
  return { diff: output.join("\n"), firstChangedLine };
}

function blockPatch(path: string, runs: readonly Run[], before: string, after: string): string {
  const old = linesOf(before);
  const first = runs[0]?.kind === "same" ? runs[0].lines.length : 0;
  const last = runs.at(-1)?.kind === "same" ? (runs.at(-1)?.lines.length ?? 0) : 0;
  const above = old.slice(Math.max(0, first - CONTEXT_LINES), first);
  const below = last === 0 ? [] : old.slice(old.length - last).slice(0, CONTEXT_LINES);
  const changed = runs.filter((run) => run.kind !== "same");
  const ending = (text: string) => (text.endsWith("\n") ? [] : ["\\ No newline at end of file"]);
  const marked = changed.flatMap((run) => [
    ...run.lines.map((line) => (run.kind === "added" ? "+" : "-") + line),
    ...(last === 0 ? ending(run.kind === "added" ? after : before) : []),
  ]);
  const reachesEnd = last > 0 && last <= CONTEXT_LINES;
  const size = (kind: Run["kind"]) => changed.find((run) => run.kind === kind)?.lines.length ?? 0;
  const start = first - above.length + 1;
  const hunk = {
    oldStart: start,
    oldLines: above.length + size("removed") + below.length,
    newStart: start,
    newLines: above.length + size("added") + below.length,
    lines: [
      ...above.map((line) => ` ${line}`),
      ...marked,
      ...below.map((line) => ` ${line}`),
      ...(reachesEnd ? ending(after) : []),
    ],
  };
  return formatPatch(
    { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined, hunks: [hunk] },
    FILE_HEADERS_ONLY,
  );
}
