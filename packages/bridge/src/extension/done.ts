import { type Fields, isFields } from "@hookline/ground";
import { type NativeAnswer, SILENCE } from "../client/native-answer.ts";
import type { HostCall } from "../host/host.ts";
import { fieldsOf, maybeText, objectIn, textIn } from "../host/payload.ts";

/** The effects of an event that an extension of pi applies, or one in a program like pi. */
export interface Done {
  /** The return value of the extension's handler. */
  readonly returns?: Fields | undefined;
  /** Fields of the event that are replaced in place. */
  readonly edits?: Fields | undefined;
  /** Lines for the person. */
  readonly notices?: readonly string[];
  /** Whether the running request is aborted. */
  readonly abort?: true;
}

/** Encodes the effects of an event as the extension reads them. */
export function answerOf({ returns, edits, notices = [], abort }: Done = {}): NativeAnswer {
  const said = present({ returns, edits, notices: notices.length > 0 ? notices : undefined, abort });
  return Object.keys(said).length === 0 ? SILENCE : { ...SILENCE, stdout: JSON.stringify(said) };
}

/** Reads the extension's message: the event, and what the extension knows of the session. */
export function readEvent(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const event = objectIn(fields, "event");
  const call = maybeText(event, "toolCallId");
  const { model, thinking, sessionFile } = fields;
  const systemPrompt = joined(fields["systemPrompt"]);
  return {
    session: textIn(fields, "session"),
    ...(call !== undefined && { call }),
    scene: present({ model, thinking, sessionFile, systemPrompt }),
    payload: { ...(systemPrompt !== undefined && { systemPrompt }), ...event },
  };
}

/** Joins a system prompt to one text; oh-my-pi has prompts in parts. */
export function joined(prompt: unknown): string | undefined {
  if (Array.isArray(prompt)) return prompt.join("\n\n");
  return typeof prompt === "string" ? prompt : undefined;
}

/** Returns the fields that have a value. */
export function present(fields: Fields): Fields & object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the fields that have a value; `undefined` if there are none. */
export function some(fields: Fields): Fields | undefined {
  const left = present(fields);
  return Object.keys(left).length === 0 ? undefined : left;
}

/** Returns the named fields of an answer that have a value; `undefined` if none has. */
export function changed(answer: Fields, names: readonly string[]): Fields | undefined {
  return some(Object.fromEntries(names.map((name) => [name, answer[name]])));
}

/** Returns a text field of an entry in pi's session, such as a summary; empty if there is no entry. */
export function textOfEntry(entry: unknown, name: string): string {
  return isFields(entry) ? (maybeText(entry, name) ?? "") : "";
}
