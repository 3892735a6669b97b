import { relative } from "node:path";
import { type Approval, cleanText, type Review } from "@hookline/runtime";
import { diffLines } from "diff";
import type { ApprovedTexts } from "./approved-texts.ts";
import { plain } from "./table.ts";
import { placeOfReview, where } from "./trust.ts";

const CONTEXT_LINES = 2;

/**
 * A definition as a person is asked about it: everything that would run, or what changed in it since it was approved.
 * Every character without a glyph of its own is written as a visible mark.
 */
export function reviewText(review: Review, approvals: readonly Approval[], texts: ApprovedTexts, cwd: string): string {
  const { candidate, print, bytes, problem, verdict } = review;
  const { source, events = [], filter, onFailure } = candidate;
  const before = lastApproval(print, approvals);
  const facts = [
    `${source.dialect ?? print.lane}, ${verdict === "changed" ? "changed since it was approved" : "not approved yet"}`,
    events.length > 0 ? `runs on ${events.join(", ")}${filter === undefined ? "" : ` when ${filter}`}` : "",
    onFailure === undefined ? "" : `on failure: ${onFailure}`,
    problem === undefined ? "" : `it cannot be read to its end: ${problem}`,
  ];
  const lines = [
    `=== ${plain(where(placeOfReview(review)))}`,
    ...facts.filter((fact) => fact !== "").map(plain),
    ...changedText("definition", before?.definition, print.definition, readable),
  ];
  for (const { path, sha256 } of print.files) {
    const old = before?.files.find((file) => file.path === path);
    const inside = relative(cwd, path);
    const name = inside.startsWith("..") ? path : inside;
    if (old?.sha256 === sha256) lines.push(`--- ${plain(name)}: as it was approved`);
    else lines.push(...fileText(name, old && (texts.get(old.sha256) ?? ""), bytes.get(path), old !== undefined));
  }
  for (const { path } of before?.files ?? []) {
    if (!bytes.has(path)) lines.push(`--- ${plain(path)}: no longer part of it`);
  }
  return `${lines.join("\n")}\n\n`;
}

/** The approval that a definition took the place of: of the same definition, else the only one at its place. */
function lastApproval(print: Review["print"], approvals: readonly Approval[]): Approval | undefined {
  const here = approvals.filter(({ path, lane }) => path === print.path && lane === print.lane);
  return here.find(({ definition }) => definition === print.definition) ?? (here.length === 1 ? here[0] : undefined);
}

function fileText(name: string, old: string | undefined, bytes: Uint8Array | undefined, known: boolean): string[] {
  if (bytes === undefined || bytes.includes(0))
    return [`--- ${plain(name)}: ${bytes?.length ?? 0} bytes that are no text`];
  const text = new TextDecoder().decode(bytes);
  if (old === undefined || old === "") return [`--- ${plain(name)}${known ? " (changed)" : ""}:`, ...shown(text)];
  return [`--- ${plain(name)}, what changed:`, ...difference(old, text)];
}

function changedText(name: string, old: string | undefined, now: string, format: (text: string) => string): string[] {
  const text = format(now);
  if (text === "") return [];
  if (old === now) return [`--- ${name}: as it was approved`];
  if (old === undefined) return [`--- ${name}:`, ...shown(text)];
  return [`--- ${name}, what changed:`, ...difference(format(old), text)];
}

/** A definition's canonical JSON for a person; nothing where there is nothing beyond the files. */
function readable(text: string): string {
  try {
    const { definition } = JSON.parse(text) as { definition?: unknown };
    return definition === undefined ? "" : JSON.stringify(definition, null, 2);
  } catch {
    return text;
  }
}

function shown(text: string): string[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `  ${marked(line)}`);
}

function difference(old: string, now: string): string[] {
  const parts = diffLines(old, now);
  return parts.flatMap(({ added, removed, value }, at) => {
    const lines = value.replace(/\n$/, "").split("\n");
    if (added || removed) return lines.map((line) => `${added ? "+" : "-"} ${marked(line)}`);
    if (lines.length <= 2 * CONTEXT_LINES) return lines.map((line) => `  ${marked(line)}`);
    const head = at === 0 ? [] : lines.slice(0, CONTEXT_LINES);
    const tail = at === parts.length - 1 ? [] : lines.slice(-CONTEXT_LINES);
    return [...head.map((line) => `  ${marked(line)}`), "  …", ...tail.map((line) => `  ${marked(line)}`)];
  });
}

function marked(line: string): string {
  return cleanText(line, { controls: "show" });
}
