import { relative } from "node:path";
import { cleanText, place as where } from "@hookline/ground";
import { plain } from "@hookline/ground/system";
import { dataLine, openLine } from "@hookline/runtime/session";
import { diffLines } from "diff";
import { doesOf } from "../item/dialect.ts";
import type { ApprovedTexts } from "./approved-texts.ts";
import { placeOfReview } from "./selection.ts";
import type { Entry } from "./sheet.ts";

const CONTEXT_LINES = 2;
/** The largest number of lines "not covered: …" that are shown for one definition. */
const MOST_OPEN = 12;
/** The largest number of data files that are listed for one definition. */
const MOST_DATA = 20;
/** The largest number of lines that are shown of a file that is not text. */
const MOST_ODD_LINES = 400;
/** A file with a larger share of control characters and undecodable bytes is not text. */
const ODD_SHARE = 0.2;

/**
 * Formats definitions for a person to approve: everything that would run, or the changes since the last approval. A
 * file that several definitions use is shown once; a file that is listed in `above` was shown before, and is only
 * counted. Every character without a glyph is shown as a visible mark.
 */
export function reviewText(
  entries: readonly Entry[],
  texts: ApprovedTexts,
  cwd: string,
  above: Set<string> = new Set(),
): string {
  const isAlone = entries.length === 1;
  const lines = entries.flatMap((entry) => [
    `=== ${plain(where(placeOfReview(entry.review)))}`,
    ...entryFacts(entry).map(plain),
    ...coverage(entry, (path) => nameIn(cwd, path)).map(plain),
    ...definitionText(entry),
    ...(isAlone ? [] : [""]),
  ]);
  if (!isAlone) lines.push(`=== Files of these ${entries.length} entries`);
  return `${[...lines, ...filesText(entries, texts, cwd, above)].join("\n")}\n\n`;
}

function entryFacts({ review, former, verdict }: Entry): string[] {
  const { candidate, print, problem } = review;
  const { source, events = [], filter, onFailure } = candidate;
  const states = { approved: "approved", changed: "changed since it was approved", pending: "not approved yet" };
  const state = former !== undefined && verdict === "pending" ? states.changed : states[verdict];
  return [
    `${source.dialect ?? print.lane}, ${state}`,
    doesOf(candidate.kind) ?? "",
    candidate.runsProject ? "a hook of yours that runs code of this project; the approval is for that code" : "",
    events.length > 0 ? `runs on ${events.join(", ")}${filter === undefined ? "" : ` when ${filter}`}` : "",
    onFailure === undefined ? "" : `on failure: ${onFailure}`,
    candidate.absent === undefined ? "" : `${candidate.absent.problem}. ${candidate.absent.remedy}`,
    problem === undefined ? "" : `it cannot be read to its end: ${problem}`,
  ].filter((fact) => fact !== "");
}

/** Lists what an approval covers besides files, what it does not cover, and which files are only data. */
function coverage({ review }: Entry, nameOf: (path: string) => string): string[] {
  const { print, bound, open, data, represented } = review;
  const more = open.length - MOST_OPEN;
  return [
    ...(print.refused === undefined ? [] : [`it cannot be approved: ${print.refused}`]),
    ...bound.map(({ path }) => `bound to ${folderName(nameOf(path))}: after any change in it you are asked again`),
    ...(print.inRoot ?? []).map((path) => `covered: ${nameOf(path)}, but not what is put beside it for it to load`),
    ...open.slice(0, MOST_OPEN).map((piece) => `not covered: ${openLine(piece, nameOf, nameOf(review.bindable))}`),
    ...(more > 0 ? [`not covered: ${more} more like it`] : []),
    ...data.slice(0, MOST_DATA).map((one) => dataLine(one, nameOf)),
    ...(data.length > MOST_DATA ? [`reads ${data.length - MOST_DATA} more files (data: may change freely)`] : []),
    ...represented.flatMap(({ folder, by }) =>
      by.length === 0
        ? []
        : [`what is in ${folderName(nameOf(folder))} is covered by ${by.map(nameOf).join(", ")} alone`],
    ),
  ];
}

function definitionText({ review: { print }, former }: Entry): string[] {
  const text = readable(print.definition);
  if (text === "") return [];
  if (former === undefined) return ["--- definition:", ...shown(text)];
  if (former.definition === print.definition) return ["--- definition: as it was approved"];
  return ["--- definition, what changed:", ...difference(readable(former.definition), text)];
}

/** Returns a path relative to the project if it is inside, otherwise unchanged. */
export function nameIn(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  if (inside === "") return ".";
  return inside.startsWith("..") ? path : inside;
}

/** Returns the name of a project's folder for a sentence: "the whole project" for `.`. */
export function folderName(folder: string): string {
  return folder === "." ? "the whole project" : folder;
}

/** Formats the files of several definitions, each file once. */
function filesText(entries: readonly Entry[], texts: ApprovedTexts, cwd: string, above: Set<string>): string[] {
  const nameOf = (path: string): string => plain(nameIn(cwd, path));
  const bytes = new Map(entries.flatMap(({ review }) => [...review.bytes]));
  const secret = new Set(entries.flatMap(({ review }) => [...review.secret]));
  const gone = new Set(entries.flatMap(({ former }) => former?.files.map(({ path }) => path) ?? []));
  const versions = versionsIn(entries);
  let again = 0;
  const lines = [...bytes].flatMap(([path, content]) => {
    gone.delete(path);
    if (secret.has(path))
      return [`--- ${nameOf(path)}: ${content.length} bytes, which are not shown because they may be a secret`];
    const text = fileText(nameOf(path), content, versions.get(path), texts);
    const part = text.join("\n");
    if (above.has(part)) {
      again += 1;
      return [];
    }
    above.add(part);
    return text;
  });
  return [
    ...lines,
    ...(again > 0 ? [`--- ${again === 1 ? "1 file" : `${again} files`} more, shown above`] : []),
    ...[...gone].map((path) => `--- ${nameOf(path)}: no longer part of it`),
  ];
}

/** The differences between a file now and the approvals of the definitions that use it. */
interface Versions {
  /** SHA-256 of each approved version of the file, unless it is the current version. */
  readonly old: Set<string>;
  /** Whether the file is new for one of the definitions: that definition was never approved with this file. */
  isNew: boolean;
}

/** Returns, by path, how each file that the definitions use differs from their previous approvals. */
function versionsIn(entries: readonly Entry[]): ReadonlyMap<string, Versions> {
  const all = new Map<string, Versions>();
  for (const { review, former } of entries) {
    const before = new Map(former?.files.map(({ path, sha256 }) => [path, sha256]));
    for (const { path, sha256 } of review.print.files) {
      const versions = all.get(path) ?? { old: new Set(), isNew: false };
      all.set(path, versions);
      const old = before.get(path);
      if (old === undefined) versions.isNew = true;
      else if (old !== sha256) versions.old.add(old);
    }
  }
  return all;
}

function fileText(name: string, bytes: Uint8Array, versions: Versions | undefined, texts: ApprovedTexts): string[] {
  const { old = new Set<string>(), isNew = false } = versions ?? {};
  if (old.size === 0 && !isNew) return [`--- ${name}: as it was approved`];
  const { text, isOdd } = textOf(bytes);
  const before = [...old].map((sha) => texts.get(sha));
  const isKnown = !isNew && before.every((one) => one !== undefined);
  if (isOdd) return oddText(name, bytes, text);
  if (!isKnown) return [`--- ${name}${old.size > 0 && !isNew ? " (changed)" : ""}:`, ...shown(text)];
  return before.flatMap((one) => [`--- ${name}, what changed:`, ...difference(one ?? "", text)]);
}

/** Shows the text lines of a file that is not text, such as a compiled program: a shell would still run them. */
function oddText(name: string, bytes: Uint8Array, text: string): string[] {
  // A shell ignores NUL characters, so they may separate the letters of a command.
  const lines = text.split("\n").filter((line) => /[\x20-\x7e]{4}/.test(line.replaceAll("\0", "")));
  const more = lines.length - MOST_ODD_LINES;
  return [
    `--- ${name}: ${bytes.length} bytes, most of them not text${lines.length > 0 ? "; the lines in it that are text:" : ""}`,
    ...lines.slice(0, MOST_ODD_LINES).flatMap(shown),
    ...(more > 0 ? [`  … and ${more} more such lines; read the file itself`] : []),
  ];
}

function textOf(bytes: Uint8Array): { readonly text: string; readonly isOdd: boolean } {
  const text = new TextDecoder().decode(bytes);
  return { text, isOdd: oddShare(text) > ODD_SHARE };
}

/** Returns the share of control characters and of bytes that could not be decoded. */
function oddShare(text: string): number {
  return text === "" ? 0 : (text.match(/[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]/g)?.length ?? 0) / text.length;
}

/** Returns the fields of a definition as JSON lines, such as a server's address; empty for one that is a file alone. */
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

/** Formats the lines in which a text differs from an older one, with some context, for a terminal. */
export function difference(old: string, now: string): string[] {
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
