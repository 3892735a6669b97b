import { type Io, systemFiles } from "@hookline/ground/system";
import type { GuardSession } from "@hookline/guards";
import { abouts } from "@hookline/integrations/abouts";
import { type DialectSettings, type OwnSettings, projectAbove, type SettingValue } from "@hookline/runtime/engine";
import { LOOP_DEFAULTS, type LoopSettings } from "../turn/core.ts";
import type { ProjectSettings } from "./project.ts";
import { guardValues, type Settings, settingOf, type UserSettings } from "./settings.ts";

/** The settings that the loop reads. */
export function loopSettings(settings: Settings, env: Io["env"] = process.env): LoopSettings {
  const { hookTurnCap, holdReplies, claudeStopCap, retry, compaction, rules, todo, task } = LOOP_DEFAULTS;
  const { user } = settings;
  // Each value was checked against the table, whose types match those of the defaults.
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

/**
 * The limit that the environment of the start sets for hooks of Claude's settings, from 1 to 100. Source: decision 61.
 */
function stopCapOf({ [STOP_CAP]: text }: Io["env"]): number | undefined {
  const cap = Number(text);
  return Number.isInteger(cap) && cap >= 1 && cap <= 100 ? cap : undefined;
}

/** Tells the person why that limit is not used; undefined if it is used, or not set. */
export function stopCapProblem(env: Io["env"]): string | undefined {
  if (!env[STOP_CAP] || stopCapOf(env) !== undefined) return undefined;
  return `${STOP_CAP} is not used: it must be a whole number from 1 to 100. Stop hooks can send the agent on ${LOOP_DEFAULTS.claudeStopCap} times.`;
}

/**
 * The settings that dialects read. Limits and switches are the person's; a project only adds what `ProjectSettings`
 * allows.
 */
export function dialectSettings({ user, project }: Settings): DialectSettings {
  return { ...ofUser(user), ...ofProject(project) };
}

/** The same, but the names of hooks in shadow are read again at each access, for example at a reload. */
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

/** The place and the settings in which guards work; the settings are read again when a guard is loaded again. */
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

/** The settings of each dialect, by id. */
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
