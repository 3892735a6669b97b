import { isDeepStrictEqual } from "node:util";
import { type Fields, insertJson, isFields, readJsonText, spansAt } from "@hookline/ground";
import { lookAt, textAt } from "@hookline/ground/system";
import type { AdapterFormat, Entry } from "../host/adapter.ts";

/** A file's text as that of an object, and the byte order mark before it. */
export function objectText(text: string | undefined): { readonly mark: string; readonly body: string } {
  const mark = text?.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text?.slice(mark.length) ?? "";
  return { mark, body: body.trim() === "" ? "{}\n" : body };
}

/** The settings in a text; throws what a person is told where it holds none. */
export function settingsIn(text: string): Fields {
  const parsed = readJsonText(text);
  if ("problem" in parsed) throw new Error(`line ${parsed.line}: ${parsed.problem}`);
  if (!isFields(parsed.value)) throw new Error("it is not a JSON object");
  const { hooks } = parsed.value;
  if (hooks !== undefined && !isFields(hooks)) throw new Error('its "hooks" is no object');
  return parsed.value;
}

/** A text of settings with an item at the end of the list that stands for an event in `hooks`. */
function withHook(text: string, event: string, item: Fields): string {
  const { hooks } = settingsIn(text);
  if (hooks === undefined) return insertJson(text, [], "hooks", { [event]: [item] });
  if ((hooks as Fields)[event] === undefined) return insertJson(text, ["hooks"], event, [item]);
  return insertJson(text, ["hooks", event], undefined, item);
}

/**
 * The same of a text that holds hooks. Throws where their names are not clear: of two members with one name some programs
 * take the last, others neither, and without the last the first would count.
 */
function hooksText(text: string | undefined): ReturnType<typeof objectText> {
  const { mark, body } = objectText(text);
  const isThere = settingsIn(body)["hooks"] !== undefined;
  const top = spansAt(body, []).children.filter(({ name }) => name === "hooks");
  const events = isThere ? spansAt(body, ["hooks"]).children : [];
  const names = new Set<string>();
  for (const { name = "" } of [...top, ...events.map(({ name }) => ({ name: `hooks.${name}` }))]) {
    if (names.has(name)) throw new Error(`it has "${name}" twice`);
    names.add(name);
  }
  return { mark, body };
}

/** Applies a change to the text of a file of hooks, and puts its byte order mark before the result. */
function changed<T extends string | undefined>(text: string | undefined, change: (body: string) => T): T | string {
  const { mark, body } = hooksText(text);
  const after = change(body);
  return after === undefined ? after : mark + after;
}

/** The settings of a file of a host that is only looked at; none where there is no file. */
export function readJsonFile(path: string): Fields | "unreadable" {
  try {
    return lookAt(path).kind === "nothing" ? {} : settingsIn(objectText(textAt(path)).body);
  } catch {
    return "unreadable";
  }
}

/** How hookline's entries stand in a host's file of JSON, each an item of the list of its event in `hooks`. */
export interface JsonEntries extends Pick<AdapterFormat, "find" | "strip"> {
  /** The beginning of a file that has nothing else. */
  readonly empty: string;
  /** The items of an event; throws if they are not a list. */
  itemsIn(text: string, event: string): readonly unknown[];
  written(entry: Entry): Fields;
  /** Adds what every such file needs. */
  begun?(text: string): string;
}

/** The format of such a file. */
export function jsonFormat({ empty, itemsIn, written, find, strip, begun }: JsonEntries): AdapterFormat {
  const has = (body: string, entry: Entry): boolean =>
    itemsIn(body, entry.event).some((one) => isDeepStrictEqual(one, written(entry)));
  return {
    write: (text, entries) =>
      changed(text ?? empty, (body) => {
        if (entries.every((entry) => has(body, entry)) && find(body).entries.length === entries.length) return body;
        const left = strip(body) ?? empty;
        const first = begun?.(left) ?? left;
        return entries.reduce((text, entry) => withHook(text, entry.event, written(entry)), first);
      }),
    strip: (text) => changed(text, strip),
    find: (text) => find(hooksText(text).body),
    has: (text, entry) => has(hooksText(text).body, entry),
  };
}
