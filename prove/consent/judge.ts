import { dirname } from "node:path";
import { type Answers, type OpenLine, SETTINGS } from "./answers.ts";
import type { Edge } from "./drawn.ts";

/** A file that a run opened. */
export interface Opened {
  readonly file: string;
  readonly isCode: boolean;
}

/** Matches files in which git keeps its own state, which no hook names. */
const OF_GIT = /^(?:\.\.\/)*\.git\//;

/** The faults of an approval: what it conceals, and what it claims without reason. */
export interface Judgement {
  /** Code that ran although the approval neither covers it nor calls it open. */
  readonly silentCode: readonly string[];
  /** Files that were opened, are not code, and are named by no line. */
  readonly silentData: readonly string[];
  /** Open lines that are justified by nothing that ran. */
  readonly unjustified: readonly OpenLine[];
}

/** Compares an approval with what the hook opened; `edges` say which piece leads to which file, if that is known. */
export function judged(opened: readonly Opened[], answers: Answers, edges?: readonly Edge[]): Judgement {
  const uncovered = opened.filter(({ file }) => !answers.covered(file));
  const names = (line: OpenLine, file: string): boolean =>
    edges === undefined ? mayLeadTo(line, file, opened) : leadsTo(line, file, edges);
  const isOpen = (file: string): boolean => answers.open.some((line) => names(line, file));
  const silent = uncovered.filter(({ file }) => !isOpen(file));
  return {
    silentCode: silent.filter(({ isCode }) => isCode).map(({ file }) => file),
    silentData: silent
      .filter(({ isCode, file }) => !isCode && !answers.isData(file) && !OF_GIT.test(file))
      .map(({ file }) => file),
    unjustified: answers.open.filter(
      (line) =>
        !uncovered.some(({ file, isCode }) => isCode && names(line, file)) &&
        !opened.some(({ file, isCode }) => isCode && isComputed(line, file, edges)) &&
        !isUnreached(line, opened, edges),
    ),
  };
}

/** Returns the folders that a person would bind who knows where the pieces of the open lines lead. */
export function foldersToBind(open: readonly OpenLine[], edges: readonly Edge[]): readonly string[] {
  const led = edges.filter(({ way, ...edge }) => way !== "data" && open.some((line) => isFrom({ way, ...edge }, line)));
  return [...new Set(led.map(({ to }) => (to.includes("/") ? dirname(to) : "")))];
}

/** Whether a line is about a piece that computes the name of this file. */
function isComputed(line: OpenLine, file: string, edges: readonly Edge[] = []): boolean {
  return edges.some((edge) => edge.isComputed && edge.to === file && isFrom(edge, line));
}

/** Whether a line is about a piece that the run did not reach: no file was opened to which the piece leads. */
function isUnreached(line: OpenLine, opened: readonly Opened[], edges: readonly Edge[] = []): boolean {
  const targets = edges.filter((edge) => isFrom(edge, line)).map(({ to }) => to);
  return targets.length > 0 && !opened.some(({ file }) => targets.includes(file));
}

function isFrom({ from = SETTINGS, piece }: Edge, line: OpenLine): boolean {
  return from === line.file && overlap(piece, line.piece);
}

/** Whether a line is about a piece that leads to a file, directly or through other files. */
function leadsTo(line: OpenLine, file: string, edges: readonly Edge[]): boolean {
  const reached = new Set(edges.filter((edge) => isFrom(edge, line)).map(({ to }) => to));
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const { from: by, to } of edges) if (by !== undefined && reached.has(by)) reached.add(to);
  }
  return reached.has(file);
}

/** Whether one of two texts contains the other, apart from blanks; lines of an approval are shortened. */
function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.replaceAll(/…$|["'\\\s]/g, "")) as [string, string];
  return a !== "" && b !== "" && (a.includes(b) || b.includes(a));
}

/** Whether a line may lead to a file, if the edges are unknown: its piece is in another file, which has run. */
function mayLeadTo({ file: at }: OpenLine, file: string, opened: readonly Opened[]): boolean {
  return at !== file && (at === SETTINGS || opened.some((one) => one.file === at));
}
