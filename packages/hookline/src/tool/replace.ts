import { once } from "@hookline/ground";
import { findAll, lineView, tolerantView, type View } from "./view.ts";

/** One replacement. `oldText` must occur exactly once in the file. */
export type Edit = { readonly oldText: string; readonly newText: string };

/**
 * Replaces parts of a text. All of them are searched in the original text; the rest stays byte for byte.
 *
 * If a text does not occur exactly, it is searched again with spaces at line ends ignored, and curly quotes, dashes and
 * unusual spaces made plain. Line breaks in `newText` become like the first one of the file.
 *
 * Throws if a text is missing, empty, not unique or overlaps another one, and if nothing would change.
 */
export function replaceAll(source: string, edits: readonly Edit[], path: string): string {
  const name = (index: number) => (edits.length === 1 ? undefined : `edits[${index}]`);
  for (const [index, edit] of edits.entries()) {
    if (edit.oldText === "")
      throw new Error(`${name(index) ?? ""}${edits.length === 1 ? "" : "."}oldText must not be empty in ${path}.`);
  }
  const views = { line: lineView(source), tolerant: once(() => tolerantView(source)) };
  const lineBreak = /^[^\n]*\r\n/.test(source) ? "\r\n" : "\n";
  const spans = edits.map((edit, index) => ({
    index,
    ...locate(views, edit.oldText, path, name(index)),
    newText: lineView(edit.newText).text.replaceAll("\n", lineBreak),
  }));
  spans.sort((a, b) => a.start - b.start);
  let result = "";
  let end = 0;
  for (const [position, span] of spans.entries()) {
    const before = spans[position - 1];
    if (before && span.start < before.end) {
      throw new Error(
        `edits[${before.index}] and edits[${span.index}] overlap in ${path}. Merge them into one edit or target disjoint regions.`,
      );
    }
    result += source.slice(end, span.start) + span.newText;
    end = span.end;
  }
  result += source.slice(end);
  if (result === source) throw new Error(unchanged(path, edits.length));
  return result;
}

function locate(
  views: { line: View; tolerant: () => View },
  oldText: string,
  path: string,
  name: string | undefined,
): { start: number; end: number } {
  let found = findAll(views.line, lineView(oldText).text);
  if (found.length === 0) found = findAll(views.tolerant(), tolerantView(oldText).text);
  const [only] = found;
  if (!only) throw new Error(missing(path, name));
  if (found.length > 1) throw new Error(ambiguous(path, name, found.length));
  return only;
}

function missing(path: string, name: string | undefined): string {
  return name === undefined
    ? `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`
    : `Could not find ${name} in ${path}. The oldText must match exactly including all whitespace and newlines.`;
}

function ambiguous(path: string, name: string | undefined, count: number): string {
  return name === undefined
    ? `Found ${count} occurrences of the text in ${path}. The text must be unique. Please provide more context to make it unique.`
    : `Found ${count} occurrences of ${name} in ${path}. Each oldText must be unique. Please provide more context to make it unique.`;
}

function unchanged(path: string, count: number): string {
  return count === 1
    ? `No changes made to ${path}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.`
    : `No changes made to ${path}. The replacements produced identical content.`;
}
