import { isFields } from "@hookline/ground";
import { editorOf } from "./facts.ts";
import { textsIn } from "./message-parts.ts";
import type { FullMoment } from "./moment-file.ts";

/** A text that hooks have written, with the moment at which they did. */
export interface Author {
  readonly text: string;
  readonly by: readonly string[];
  readonly at: number;
}

/** Texts with fewer characters get no author, because they occur in too many places. */
export const SHORTEST = 4;

/** Returns the texts in a message or its content; other fields, such as the types of blocks, are left out. */
export function contentTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(contentTexts);
  if (!isFields(value)) return typeof value === "string" ? [value] : [];
  const { content, text } = value;
  return content === undefined ? contentTexts(text) : contentTexts(content);
}

/**
 * Returns the hooks that changed a field; if no edit names the field, those that changed anything, since a dialect may
 * name it differently.
 */
export function editorsOf({ edits, hooks }: FullMoment, field: string): string[] {
  const exact = edits.filter((edit) => edit.field === field);
  return [...new Set((exact.length > 0 ? exact : edits).map(({ hook }) => editorOf(hook, hooks)?.id ?? hook))];
}

/**
 * Returns the hooks with an answer that contains the text or occurs in it. If there are none and `orAll` is set,
 * returns all hooks that answered, because the recording may not contain their answers.
 */
export function authorsOf({ hooks }: FullMoment, text: string, orAll = true): string[] {
  const answered = hooks.filter(({ status, shadow }) => status === "answered" && shadow !== true);
  const named = answered.filter(({ answer }) =>
    textsIn(answer).some(
      (said) => said !== "" && (said.includes(text) || (text.includes(said) && said.length >= SHORTEST)),
    ),
  );
  if (named.length > 0) return [...new Set(named.map(({ id }) => id))];
  return orAll ? [...new Set(answered.map(({ id }) => id))] : [];
}
