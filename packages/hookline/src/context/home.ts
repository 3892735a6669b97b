import { join, resolve } from "node:path";

/** Returns chibi's home: `$CHIBI_HOME`, which may be relative to the working directory, otherwise `~/.chibi`. */
export function chibiHome(place: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
}): string {
  const own = place.env["CHIBI_HOME"];
  return own === undefined || own === "" ? join(place.home, ".chibi") : resolve(place.cwd, own);
}

/** The paths that all contexts share, in the layout that plugins expect. Source: spec/chibi.md 3. */
export interface HomePaths {
  readonly state: string;
  readonly contexts: string;
  readonly reflection: string;
  /** The file with the text that replaces the beginning of the system prompt. */
  readonly opening: string;
}

/** Returns the paths that all contexts of a home share. */
export function homePaths(home: string): HomePaths {
  return {
    state: join(home, "state.json"),
    contexts: join(home, "contexts"),
    reflection: join(home, "prompts", "reflection.md"),
    opening: join(home, "prompts", "chibi.md"),
  };
}

/** The paths of one named context's files. */
export interface ContextPaths {
  readonly folder: string;
  readonly todos: string;
  readonly goals: string;
  readonly summary: string;
  readonly systemPrompt: string;
  readonly transcript: string;
  /** The folder with the whole conversation, in parts; for plugins. */
  readonly logFolder: string;
  /** The file with the conversation that the model is sent; for plugins. */
  readonly window: string;
  readonly toolCache: string;
  readonly inbox: string;
  /** The lock file of the inbox. Everybody who touches the inbox locks it with flock(2). */
  readonly inboxLock: string;
  /** The file with chibi's settings for this context. */
  readonly localSettings: string;
  /** hookline's own file with the path of the session with which the context continues. */
  readonly lastSession: string;
}

/** Returns the paths of one named context's files. */
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
