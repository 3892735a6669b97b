import { chmodSync, mkdirSync, realpathSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { insertJson } from "../../file/json-insert.ts";
import { lookAt, textAt } from "../../file/look.ts";
import { putNew, throughTemporary, writeFully } from "../../file/replace.ts";
import { parseJson } from "../../provider/json-text.ts";
import { isRecord } from "./found.ts";
import type { Group } from "./translate.ts";

/** A group for an event. */
export interface Addition {
  readonly event: string;
  readonly group: Group;
}

/** A settings file as it is and as it would be. */
export interface Target {
  readonly path: string;
  /** Absent where there is no file. */
  readonly before: string | undefined;
  readonly after: string;
  /** What is not there already. */
  readonly added: readonly Addition[];
}

/**
 * Puts groups into a settings file behind those that it has, and nothing else: every other character stays. Throws what a
 * person is told where the file cannot be read as settings.
 */
export function targetOf(path: string, additions: readonly Addition[]): Target {
  const isThere = lookAt(path).kind !== "nothing";
  const before = isThere ? textAt(path) : undefined;
  const mark = before?.startsWith("\ufeff") ? "\ufeff" : "";
  let text = before?.slice(mark.length) ?? "{}\n";
  if (text.trim() === "") text = "{}\n";
  let settings = settingsIn(text);
  const added: Addition[] = [];
  for (const { event, group } of additions) {
    const groups = isRecord(settings["hooks"]) ? settings["hooks"][event] : undefined;
    if (groups !== undefined && !Array.isArray(groups)) throw new Error(`hooks.${event} holds no list`);
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
  const parsed = parseJson(text);
  if ("problem" in parsed) throw new Error(`line ${parsed.line}: ${parsed.problem}`);
  if (!isRecord(parsed.value)) throw new Error("it is no JSON object");
  const { hooks } = parsed.value;
  if (hooks !== undefined && !isRecord(hooks)) throw new Error('its "hooks" is no object');
  return parsed.value;
}

/** Whether a group of a file has this handler for the same tools already. */
function isWithin({ matcher, hooks: [handler] }: Group, one: unknown): boolean {
  if (!isRecord(one) || !Array.isArray(one["hooks"])) return false;
  return one["matcher"] === matcher && one["hooks"].some((other) => isDeepStrictEqual(other, handler));
}

/** Writes the file, through links, with the rights that it has; throws where it is not any more as it was read. */
export function writeTarget({ path, before, after }: Target): void {
  const fill = (fd: number): void => writeFully(fd, Buffer.from(after));
  if (before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    throughTemporary(path, fill, putNew);
    return;
  }
  const real = realpathSync(path);
  const { mode } = statSync(real);
  if (textAt(real) !== before) throw new Error("it was changed meanwhile; try again");
  throughTemporary(real, fill, (from, to) => {
    chmodSync(from, mode & 0o7777);
    renameSync(from, to);
  });
}
