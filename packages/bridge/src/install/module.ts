import { isDeepStrictEqual } from "node:util";
import type { AdapterFormat, Entry, Found } from "../host/adapter.ts";
import { ADAPTER_MARK as MARK } from "./own-entries.ts";

/** Returns the first line of a module, which lists its events and their time limits as JSON. */
export function moduleMark(entries: readonly Entry[]): string {
  return `${MARK}${JSON.stringify(Object.fromEntries(entries.map(({ event, timeout }) => [event, timeout])))}\n`;
}

/** Makes the format of an adapter that is a module; the whole file belongs to hookline. */
export function moduleFormat(textOf: (entries: readonly Entry[]) => string): AdapterFormat {
  const find = (text: string): Found => {
    const [first = ""] = text.split("\n");
    if (!first.startsWith(MARK)) return { entries: [], foreign: [] };
    const limits = JSON.parse(first.slice(MARK.length)) as Readonly<Record<string, number>>;
    return {
      entries: Object.entries(limits).map(([event, timeout]) => ({ event, timeout, command: "" })),
      foreign: [],
    };
  };
  return {
    write(text, entries) {
      if (text !== undefined && text !== "" && find(text).entries.length === 0)
        throw new Error("hookline did not write it, so it stays");
      return textOf(entries);
    },
    strip: (text) => (find(text).entries.length > 0 ? undefined : text),
    find,
    // If a person has edited the module, none of its entries counts as installed.
    has(text, entry) {
      const { entries } = find(text);
      return entries.some((one) => isDeepStrictEqual(one, entry)) && textOf(entries) === text;
    },
  };
}
