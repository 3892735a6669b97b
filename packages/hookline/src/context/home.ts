import { join, resolve } from "node:path";

/** chibi's home: `$CHIBI_HOME`, a relative one below the working directory, else `~/.chibi`. */
export function chibiHome(place: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
}): string {
  const own = place.env["CHIBI_HOME"];
  return own === undefined || own === "" ? join(place.home, ".chibi") : resolve(place.cwd, own);
}

/** The paths shared by all contexts, in the layout that plugins use. Source: spec/chibi.md 3. */
export interface HomePaths {
  readonly state: string;
  readonly contexts: string;
  readonly reflection: string;
  /** chibi's own opening of the system prompt. */
  readonly opening: string;
}

/** The paths of a home. */
export function homePaths(home: string): HomePaths {
  return {
    state: join(home, "state.json"),
    contexts: join(home, "contexts"),
    reflection: join(home, "prompts", "reflection.md"),
    opening: join(home, "prompts", "chibi.md"),
  };
}

/** The paths of one context. */
export interface ContextPaths {
  readonly folder: string;
  readonly todos: string;
  readonly goals: string;
  readonly summary: string;
  readonly systemPrompt: string;
  readonly transcript: string;
  /** The whole conversation, in parts; for plugins. */
  readonly logFolder: string;
  /** The conversation that is sent, for plugins. */
  readonly window: string;
  readonly toolCache: string;
  readonly inbox: string;
  /** Locked with flock(2) by everybody who touches the inbox. */
  readonly inboxLock: string;
  /** chibi's settings of this context. */
  readonly localSettings: string;
  /** hookline's own file: which session the context is a view on. */
  readonly lastSession: string;
}

/** The paths of one context of a home. */
export function contextPaths(home: string, name: string): ContextPaths {
  const folder = join(home, "contexts", name);
  const of = (file: string): string => join(folder, file);
  return {
    folder,
    todos: of("todos.md"),
    goals: of("goals.md"),
    summary: of("summary.md"),
    systemPrompt: of("system_prompt.md"),
    transcript: of("transcript.md"),
    logFolder: of("transcript"),
    window: of("context.jsonl"),
    toolCache: of("tool_cache"),
    inbox: of("inbox.jsonl"),
    inboxLock: of(".inbox.lock"),
    localSettings: of("local.toml"),
    lastSession: of("hookline.json"),
  };
}
