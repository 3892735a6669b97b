import { readJson } from "../../decode/json.ts";
import { jsonLines } from "../../decode/lines.ts";
import { isRecord } from "../edits.ts";

/** One group of handlers as a file has it, before anything of it is checked. */
export interface RawHandler {
  readonly event: string;
  /** The group's matcher, whatever it is. */
  readonly matcher: unknown;
  readonly handler: unknown;
  /** 1-based. */
  readonly line: number;
}

/** Something of a file that is not as it must be, with its line. */
export interface FilePart {
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}

/** A file of settings, read. */
export interface SettingsFile {
  readonly handlers: readonly RawHandler[];
  /** What of `hooks` has the wrong shape. */
  readonly faults: readonly FilePart[];
  /** Whether it has the key at all. */
  readonly hasHooks: boolean;
  /** Every other key. */
  readonly settings: Readonly<Record<string, unknown>>;
  lineOf(key: string): number;
}

/** A file that holds no settings. */
export interface Unreadable {
  readonly problem: string;
}

/**
 * Reads a file of settings or a plugin's `hooks.json`: `{"hooks": {EVENT: [{"matcher", "hooks": [HANDLER…]}]}}`.
 * A group of the wrong shape costs itself. Source: spec/claude.md 1.
 */
export function readSettings(bytes: Uint8Array): SettingsFile | Unreadable {
  const read = readJson(bytes);
  if (!read.ok) return { problem: read.message };
  const { value } = read;
  if (!isRecord(value)) return { problem: "it is no JSON object" };
  const lines = jsonLines(new TextDecoder().decode(bytes));
  const { hooks, ...settings } = value;
  const { handlers, faults } = hooks === undefined ? NO_HOOKS : readGroups(hooks, lines, "/hooks");
  return { handlers, faults, hasHooks: hooks !== undefined, settings, lineOf: (key) => lines(`/${key}`) };
}

/** What a value of `hooks` holds. */
export type Groups = Pick<SettingsFile, "handlers" | "faults">;

const NO_HOOKS: Groups = { handlers: [], faults: [] };

/** Reads `{EVENT: [{"matcher", "hooks": [HANDLER…]}]}`, which stands at a pointer of its file. */
export function readGroups(hooks: unknown, lines: (pointer: string) => number, pointer: string): Groups {
  const handlers: RawHandler[] = [];
  const faults: FilePart[] = [];
  const wrong = (at: string, problem: string): void => {
    const remedy = 'Write "hooks": {"EVENT": [{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}]}.';
    faults.push({ line: lines(at), problem, remedy });
  };
  if (!isRecord(hooks)) wrong(pointer, '"hooks" must be an object');
  for (const [event, groups] of Object.entries(isRecord(hooks) ? hooks : {})) {
    const at = `${pointer}/${event.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Array.isArray(groups)) {
      wrong(at, `${nameOf(event)} must hold a list of groups`);
      continue;
    }
    for (const [i, group] of groups.entries()) {
      if (!isRecord(group) || !Array.isArray(group["hooks"])) {
        wrong(`${at}/${i}`, `a group of ${nameOf(event)} must be an object with a list "hooks"`);
        continue;
      }
      for (const [k, handler] of group["hooks"].entries())
        handlers.push({ event, matcher: group["matcher"], handler, line: lines(`${at}/${i}/hooks/${k}`) });
    }
  }
  return { handlers, faults };
}

function nameOf(event: string): string {
  return /^\w{1,60}$/.test(event) ? event : "an event";
}
