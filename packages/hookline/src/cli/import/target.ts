import { isDeepStrictEqual } from "node:util";
import { insertJson, isFields, readJsonText } from "@hookline/ground";
import { lookAt, textAt } from "@hookline/ground/system";
import type { Group } from "./translate.ts";

/** A hook to add to a settings file of Claude Code, as a group with one handler, and its event. */
export interface Addition {
  readonly event: string;
  readonly group: Group;
}

/** A settings file before and after the change. */
export interface ImportTarget {
  readonly path: string;
  /** The file's text before the change; absent if there is no file. */
  readonly before: string | undefined;
  readonly after: string;
  /** The groups of hooks to add, without those that the file has already. */
  readonly added: readonly Addition[];
}

/**
 * Appends groups of hooks to those of a settings file, and changes nothing else. Throws an error for the person if the
 * file cannot be read as settings.
 */
export function targetOf(path: string, additions: readonly Addition[]): ImportTarget {
  const isThere = lookAt(path).kind !== "nothing";
  const before = isThere ? textAt(path) : undefined;
  const mark = before?.startsWith("\ufeff") ? "\ufeff" : "";
  let text = before?.slice(mark.length) ?? "{}\n";
  if (text.trim() === "") text = "{}\n";
  let settings = settingsIn(text);
  const added: Addition[] = [];
  for (const { event, group } of additions) {
    const groups = isFields(settings["hooks"]) ? settings["hooks"][event] : undefined;
    if (groups !== undefined && !Array.isArray(groups)) throw new Error(`hooks.${event} is not a list`);
    if (groups?.some((one) => isWithin(group, one))) continue;
    if (settings["hooks"] === undefined) text = insertJson(text, [], "hooks", { [event]: [group] });
    else if (groups === undefined) text = insertJson(text, ["hooks"], event, [group]);
    else text = insertJson(text, ["hooks", event], undefined, group);
    settings = settingsIn(text);
    added.push({ event, group });
  }
  return { path, before, after: mark + text, added };
}

function settingsIn(text: string): Readonly<Record<string, unknown>> {
  const parsed = readJsonText(text);
  if ("problem" in parsed) throw new Error(`line ${parsed.line}: ${parsed.problem}`);
  if (!isFields(parsed.value)) throw new Error("it is not a JSON object");
  const { hooks } = parsed.value;
  if (hooks !== undefined && !isFields(hooks)) throw new Error('its "hooks" is not an object');
  return parsed.value;
}

/** Returns whether a group already has this handler for the same tools. */
function isWithin({ matcher, hooks: [handler] }: Group, one: unknown): boolean {
  if (!isFields(one) || !Array.isArray(one["hooks"])) return false;
  return one["matcher"] === matcher && one["hooks"].some((other) => isDeepStrictEqual(other, handler));
}
