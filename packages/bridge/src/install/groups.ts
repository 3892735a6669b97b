import { type Fields, isFields, removeJson } from "@hookline/ground";
import type { AdapterFormat, Entry, Found } from "../host/adapter.ts";
import { jsonFormat, settingsIn } from "./json-file.ts";
import { isOwnCommand } from "./own-entries.ts";

/** A host's additions to Claude Code's format. */
export interface GroupsShape {
  /** Fields of a group beside its handlers. */
  readonly group?: Fields;
  /** Whether the host accepts comments in its settings. */
  readonly hasComments?: boolean | undefined;
  /** Returns the fields of a handler beside type, command and limit. */
  handler?(entry: Entry): Fields;
}

/**
 * Format of hook entries in Claude Code's shape: `hooks` → event → groups → handlers. hookline's handlers have groups
 * of their own.
 */
export function groupsFormat({ group = {}, hasComments, handler }: GroupsShape = {}): AdapterFormat {
  const written = (entry: Entry): Fields => ({
    ...group,
    hooks: [{ type: "command", command: entry.command, timeout: entry.timeout, ...handler?.(entry) }],
  });
  return jsonFormat({ empty: "{}\n", hasComments, itemsIn: groupsIn, written, find, strip });
}

/** Yields the handlers of a file, each with its position. */
function* handlersIn(text: string): Generator<{ event: string; group: number; handler: number; value: Fields }> {
  const { hooks } = settingsIn(text);
  for (const event of Object.keys(isFields(hooks) ? hooks : {}))
    for (const [group, one] of groupsIn(text, event).entries()) {
      const handlers = isFields(one) && Array.isArray(one["hooks"]) ? (one["hooks"] as unknown[]) : [];
      for (const [handler, value] of handlers.entries()) if (isFields(value)) yield { event, group, handler, value };
    }
}

function groupsIn(text: string, event: string): readonly unknown[] {
  const { hooks } = settingsIn(text);
  const groups = isFields(hooks) ? hooks[event] : undefined;
  if (groups !== undefined && !Array.isArray(groups)) throw new Error(`its "hooks.${event}" is not a list`);
  return groups ?? [];
}

function find(text: string): Found {
  const all = [...handlersIn(text)];
  return {
    entries: all.flatMap(({ event, value: { command, timeout } }) =>
      isOwnCommand(command) ? [{ event, command, timeout: typeof timeout === "number" ? timeout : 0 }] : [],
    ),
    foreign: [...new Set(all.flatMap(({ event, value }) => (isOwnCommand(value["command"]) ? [] : [event])))],
  };
}

/** Removes hookline's handlers, with groups and lists that become empty; `undefined` if nothing is left. */
function strip(text: string): string | undefined {
  let left = text;
  const own = [...handlersIn(text)].filter(({ value }) => isOwnCommand(value["command"]));
  // Handlers are removed from the end, so that the other indexes stay valid.
  for (const { event, group, handler } of own.reverse()) {
    const one = groupsIn(left, event)[group] as { readonly hooks: readonly unknown[] };
    left =
      one.hooks.length > 1
        ? removeJson(left, ["hooks", event, String(group), "hooks"], handler)
        : removeJson(left, ["hooks", event], group);
    if (groupsIn(left, event).length === 0) left = removeJson(left, ["hooks"], event);
  }
  const { hooks, ...others } = settingsIn(left);
  if (own.length > 0 && isFields(hooks) && Object.keys(hooks).length === 0) {
    if (Object.keys(others).length === 0) return undefined;
    left = removeJson(left, [], "hooks");
  }
  return left;
}
