import { wrongUse } from "@hookline/ground/system";
import type { RecordLevel } from "@hookline/runtime";
import type { Settings } from "../settings/settings.ts";

/** The level of recording, and whether guarded calls are refused if they cannot be recorded. */
export interface Wanted {
  readonly level: RecordLevel;
  /** Whether guarded calls are refused while decisions about them cannot be recorded. */
  readonly isRequired: boolean;
}

const ORDER = ["off", "log", "decisions", "all"] as const;
type Level = (typeof ORDER)[number];

/**
 * Returns how much is recorded: the most that the person, the administrator or the command line wants. Required hooks
 * are always logged. A project cannot change this.
 */
export function recordingWanted(settings: Settings, flag: string | boolean | undefined): Wanted | undefined {
  const { user } = settings;
  const isRequired = user.get("decisionLog") === "required";
  const needsLog = isRequired || ((user.get("required") as readonly string[] | undefined) ?? []).length > 0;
  const levels: Level[] = [(user.get("record") as Level | undefined) ?? "off", needsLog ? "log" : "off", ofFlag(flag)];
  const level = ORDER.findLast((one) => levels.includes(one));
  return level === undefined || level === "off" ? undefined : { level, isRequired };
}

function ofFlag(flag: string | boolean | undefined): Level {
  if (flag === undefined || flag === false) return "off";
  if (flag === true || flag === "decisions") return "decisions";
  if (flag === "all") return "all";
  throw wrongUse(
    "--record",
    `takes decisions or all, not "${flag}"`,
    "Write --record, --record=decisions or --record=all.",
  );
}
