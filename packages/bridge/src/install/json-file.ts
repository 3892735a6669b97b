import { isDeepStrictEqual } from "node:util";
import { type Fields, insertJson, isFields, readJsonText, spansAt, withoutComments } from "@hookline/ground";
import { lookAt, textAt } from "@hookline/ground/system";
import type { AdapterFormat, Entry } from "../host/adapter.ts";

/** Splits a file's text into the byte order mark and the JSON text. */
export function objectText(text: string | undefined): { readonly mark: string; readonly body: string } {
  const mark = text?.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text?.slice(mark.length) ?? "";
  return { mark, body: body.trim() === "" ? "{}\n" : body };
}

/**
 * Parses a text of settings; throws an error for the person if it is not a JSON object, or has comments where the
 * program accepts none.
 */
export function settingsIn(text: string, hasComments = true): Fields {
  const parsed = readJsonText(hasComments ? withoutComments(text) : text);
  if ("problem" in parsed) throw new Error(`line ${parsed.line}: ${parsed.problem}`);
  if (!isFields(parsed.value)) throw new Error("it is not a JSON object");
  const { hooks } = parsed.value;
  if (hooks !== undefined && !isFields(hooks)) throw new Error('its "hooks" is no object');
  return parsed.value;
}

/** Appends an item to the list of an event in `hooks`, in the text of a settings file. */
function withHook(text: string, event: string, item: Fields): string {
  const { hooks } = settingsIn(text);
  if (hooks === undefined) return insertJson(text, [], "hooks", { [event]: [item] });
  if ((hooks as Fields)[event] === undefined) return insertJson(text, ["hooks"], event, [item]);
  return insertJson(text, ["hooks", event], undefined, item);
}

/**
 * Splits the text of a file with hooks like `objectText`. Throws if "hooks" or an event in it occurs twice: programs
 * differ in which one they use, and if hookline removed the last, the first could take effect.
 */
function hooksText(text: string | undefined, hasComments: boolean): ReturnType<typeof objectText> {
  const { mark, body } = objectText(text);
  const isThere = settingsIn(body, hasComments)["hooks"] !== undefined;
  const top = spansAt(body, []).children.filter(({ name }) => name === "hooks");
  const events = isThere ? spansAt(body, ["hooks"]).children : [];
  const names = new Set<string>();
  for (const { name = "" } of [...top, ...events.map(({ name }) => ({ name: `hooks.${name}` }))]) {
    if (names.has(name)) throw new Error(`it has "${name}" twice`);
    names.add(name);
  }
  return { mark, body };
}

/**
 * Reads the settings in a host's file, for a caller that does not change the file; empty if there is no file.
 * `hasComments` says whether the host accepts comments in it.
 */
export function readJsonFile(path: string, hasComments = false): Fields | "unreadable" {
  try {
    return lookAt(path).kind === "nothing" ? {} : settingsIn(objectText(textAt(path)).body, hasComments);
  } catch {
    return "unreadable";
  }
}

/** Describes a host's JSON file of hook entries: its `hooks` has a list of items for each event. */
export interface JsonEntries extends Pick<AdapterFormat, "find" | "strip"> {
  /** The text of a file that has no hook entries yet. */
  readonly empty: string;
  /** Whether the host accepts comments in the file. */
  readonly hasComments?: boolean | undefined;
  /** Returns the items of an event; throws if they are not a list. */
  itemsIn(text: string, event: string): readonly unknown[];
  written(entry: Entry): Fields;
  /** Adds the fields that every JSON file of the host needs. */
  begun?(text: string): string;
}

/** Makes the adapter format of a host's JSON file. */
export function jsonFormat(of: JsonEntries): AdapterFormat {
  const { empty, hasComments = false, itemsIn, written, find, strip, begun } = of;
  const changed = <T extends string | undefined>(text: string | undefined, change: (body: string) => T): T | string => {
    const { mark, body } = hooksText(text, hasComments);
    const after = change(body);
    return after === undefined ? after : mark + after;
  };
  const has = (body: string, entry: Entry): boolean =>
    itemsIn(body, entry.event).some((one) => isDeepStrictEqual(one, written(entry)));
  return {
    hasComments,
    write: (text, entries) =>
      changed(text ?? empty, (body) => {
        if (entries.every((entry) => has(body, entry)) && find(body).entries.length === entries.length) return body;
        const left = strip(body) ?? empty;
        const first = begun?.(left) ?? left;
        return entries.reduce((text, entry) => withHook(text, entry.event, written(entry)), first);
      }),
    strip: (text) => changed(text, strip),
    find: (text) => find(hooksText(text, hasComments).body),
    has: (text, entry) => has(hooksText(text, hasComments).body, entry),
  };
}
