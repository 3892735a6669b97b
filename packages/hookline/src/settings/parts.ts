import { type Io, systemFiles } from "@hookline/ground/system";
import type { GuardSession } from "@hookline/guards";
import { abouts } from "@hookline/integrations/abouts";
import { type DialectSettings, type OwnSettings, projectAbove, type SettingValue } from "@hookline/runtime/engine";
import { LOOP_DEFAULTS, type LoopSettings } from "../turn/core.ts";
import type { ProjectSettings } from "./project.ts";
import { guardValues, type Settings, settingOf, type UserSettings } from "./settings.ts";

/** Returns the settings for the agent's loop: the person's values, otherwise the defaults. */
export function loopSettings(settings: Settings, env: Io["env"] = process.env): LoopSettings {
  const { hookTurnCap, holdReplies, claudeStopCap, retry, compaction, rules, todo, task } = LOOP_DEFAULTS;
  const { user } = settings;
  // The file reader has checked that each value has the type of its default.
  const over = <T extends object>(defaults: T, prefix: string): T => {
    const found = Object.fromEntries(
      [...user].flatMap(([key, value]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [])),
    );
    return { ...defaults, ...found };
  };
  const reminders = settingOf(settings, "todo.remindersMax").value as number | undefined;
  return {
    feedbackCap: user.get("feedbackCap") as number | undefined,
    claudeStopCap: stopCapOf(env) ?? claudeStopCap,
    hookTurnCap: (user.get("hookTurnCap") as number | undefined) ?? hookTurnCap,
    holdReplies: (user.get("holdReplies") as boolean | undefined) ?? holdReplies,
    retry: over(retry, "retry."),
    compaction: over(compaction, "compaction."),
    rules: over(rules, "ttsr."),
    task: over(task, "task."),
    todo: { ...over(todo, "todo."), ...(reminders !== undefined && { remindersMax: reminders }) },
  };
}

const STOP_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/** Reads from the environment how often Claude's stop hooks may make the agent continue, 1 to 100 (ruling 61). */
function stopCapOf({ [STOP_CAP]: text }: Io["env"]): number | undefined {
  const cap = Number(text);
  return Number.isInteger(cap) && cap >= 1 && cap <= 100 ? cap : undefined;
}

/** Describes an invalid `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` for the person. Undefined if it is valid or not set. */
export function stopCapProblem(env: Io["env"]): string | undefined {
  if (!env[STOP_CAP] || stopCapOf(env) !== undefined) return undefined;
  return `${STOP_CAP} is not used: it must be a whole number from 1 to 100. Stop hooks can send the agent on ${LOOP_DEFAULTS.claudeStopCap} times.`;
}

/** Returns the settings for dialects: the person's, and what `ProjectSettings` allows a project to add. */
export function dialectSettings({ user, project }: Settings): DialectSettings {
  return { ...ofUser(user), ...ofProject(project) };
}

/** Returns the settings for dialects. Names of shadow hooks are read from the files again at each access. */
export function liveSettings(settings: Settings, reread: () => Settings): DialectSettings {
  const { project, ...own } = dialectSettings(settings);
  return {
    ...own,
    get shadow() {
      return shadowOf(reread().user.get("shadow"));
    },
    project: {
      ...project,
      get shadow() {
        return shadowOf(reread().project.shadow);
      },
    },
  };
}

/** Returns the folder and settings for guards. The settings are read again whenever a guard is loaded. */
export function guardSession(
  { cwd, home, hooklineHome }: Readonly<Record<"cwd" | "home" | "hooklineHome", string>>,
  reread: () => Settings,
): GuardSession {
  const files = systemFiles;
  return {
    cwd,
    home,
    hooklineHome,
    project: projectAbove({ cwd, home, files }).at(-1) ?? files.real(cwd) ?? cwd,
    get settings() {
      return guardValues(reread().user);
    },
    get projectSettings() {
      return reread().project.guards ?? {};
    },
  };
}

function shadowOf(value: unknown): readonly string[] {
  return (value as readonly string[] | undefined) ?? [];
}

function ofUser(user: UserSettings): DialectSettings {
  const pick = (key: string, name: string): object => (user.has(key) ? { [name]: user.get(key) as SettingValue } : {});
  return {
    ...pick("extensionOrder", "extensionOrder"),
    ...pick("handlerTimeoutMs", "handlerTimeoutMs"),
    ...pick("toolCallTimeoutMs", "toolCallTimeoutMs"),
    ...pick("failClosed", "failClosed"),
    ...pick("required", "required"),
    ...pick("refuseWithoutGuards", "refuseWithoutGuards"),
    ...pick("shadow", "shadow"),
    own: ownOf(user),
  };
}

/** Returns the person's settings of each dialect, by dialect id. */
function ownOf(user: UserSettings): OwnSettings {
  const own = Object.entries(abouts).map(([id, { settings }]) => {
    const values = Object.keys(settings).flatMap((name) => {
      const value = user.get(`${id}.${name}`);
      return value === undefined ? [] : [[name, value] as const];
    });
    return [id, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(own);
}

function ofProject(project: ProjectSettings): Pick<DialectSettings, "project"> {
  const { failClosed = [], required = [], shadow = [] } = project;
  return { project: { failClosed, required, shadow, ...(project.own !== undefined && { own: project.own }) } };
}
