import { type Fields, insertJson, isFields, removeJson } from "@hookline/ground";
import type { AdapterFormat, Entry, Found } from "../host/adapter.ts";
import { jsonFormat, settingsIn } from "./json-file.ts";
import { isOwnCommand } from "./own-entries.ts";

/** Describes a host's hook entry. It names the fields with the command and the limit, and has the others. */
export interface FlatShape {
  readonly command: string;
  readonly limit: string;
  /** Returns the fields of a hook entry besides its command and time limit. */
  fields?(entry: Entry): Fields;
}

/** A hooks file with nothing but its version. */
const EMPTY = '{\n  "version": 1\n}\n';

/** Format of a file such as `{"version":1,"hooks":{EVENT:[ENTRY]}}`. hookline's entries come last. */
export function flatFormat(shape: FlatShape): AdapterFormat {
  const written = (entry: Entry): Fields => ({
    ...shape.fields?.(entry),
    [shape.command]: entry.command,
    [shape.limit]: entry.timeout,
  });
  const find = (text: string): Found => {
    const all = Object.keys(hooksIn(text)).flatMap((event) =>
      entriesIn(text, event).map((value) => ({ event, command: commandOf(value, shape), limit: value[shape.limit] })),
    );
    return {
      entries: all.flatMap(({ event, command, limit }) =>
        isOwnCommand(command) ? [{ event, command, timeout: typeof limit === "number" ? limit : 0 }] : [],
      ),
      foreign: [...new Set(all.flatMap(({ event, command }) => (isOwnCommand(command) ? [] : [event])))],
    };
  };
  const strip = (text: string): string | undefined => {
    let left = text;
    for (const event of Object.keys(hooksIn(text))) {
      const own = entriesIn(text, event).flatMap((value, index) =>
        isOwnCommand(commandOf(value, shape)) ? [index] : [],
      );
      // Entries are removed from the end, so that the other indexes stay valid.
      for (const index of own.reverse()) left = removeJson(left, ["hooks", event], index);
      if (own.length > 0 && entriesIn(left, event).length === 0) left = removeJson(left, ["hooks"], event);
    }
    if (left === text || Object.keys(hooksIn(left)).length > 0) return left;
    const { version, hooks, ...others } = settingsIn(left);
    return Object.keys(others).length === 0 && version === 1 ? undefined : removeJson(left, [], "hooks");
  };
  const begun = (text: string): string =>
    settingsIn(text)["version"] === undefined ? insertJson(text, [], "version", 1) : text;
  return jsonFormat({ empty: EMPTY, itemsIn: entriesIn, written, find, strip, begun });
}

function hooksIn(text: string): Fields {
  const { version, hooks } = settingsIn(text);
  if (version !== undefined && version !== 1)
    throw new Error(`its "version" is ${JSON.stringify(version)}, and hookline only knows 1`);
  return isFields(hooks) ? hooks : {};
}

function entriesIn(text: string, event: string): readonly Fields[] {
  const entries = hooksIn(text)[event];
  if (entries !== undefined && !(Array.isArray(entries) && entries.every(isFields)))
    throw new Error(`its "hooks.${event}" is not a list of entries`);
  return entries ?? [];
}

function commandOf(value: Fields, { command }: FlatShape): unknown {
  return value[command];
}
