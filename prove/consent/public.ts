import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Entry, pathOf, type Repository, readClaudeList } from "../../scripts/third-party/claude/list.ts";
import { type Place, placeEntry, unpack } from "../../scripts/third-party/claude/place.ts";
import { SETTINGS } from "./answers.ts";

/** A command that somebody has published as a hook. */
export interface Handler {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly command: string;
}

/** A published project with Claude Code hooks, unpacked as a project of its own. */
export interface Published extends Disposable {
  readonly name: string;
  readonly place: Pick<Place, "project" | "home">;
  readonly env: Readonly<Record<string, string>>;
  readonly handlers: readonly Handler[];
}

/** Returns the entries with hooks, each with its repository. */
export function publishedEntries(): readonly { readonly of: Repository; readonly entry: Entry }[] {
  return readClaudeList().flatMap((of) => of.entries.map((entry) => ({ of, entry })));
}

/** Unpacks a repository from a folder of clones into another folder, once. */
export function unpacked(of: Repository, clones: string, into: string): string {
  const folder = join(into, of.repository.replace("/", "+"));
  return existsSync(folder) ? folder : unpack(of, clones, into);
}

interface Settings {
  readonly env?: Readonly<Record<string, string>>;
  readonly hooks?: Readonly<
    Record<string, readonly { readonly matcher?: string; readonly hooks: readonly Partial<Handler>[] }[]>
  >;
}

/** Matches the variable by which a command names its plugin's folder. */
const OF_PLUGIN = /\$\{?CLAUDE_PLUGIN_ROOT\}?/g;
const OF_HOME = /(?:\$HOME|\$\{HOME\}|~)(?=\/\.claude\/)/g;

/** Unpacks an entry as a project, in whatever form it was published. */
export function layOut(entry: Entry, of: Repository, folder: string): Published {
  const { plugin, home, ...rest } = entry;
  const place = placeEntry(plugin === undefined ? rest : { project: plugin }, of, folder);
  const { project } = place;
  const file = [join(project, "hooks/hooks.json"), join(project, SETTINGS)].find((path) => existsSync(path));
  const { env = {}, hooks = {} }: Settings = file === undefined ? {} : JSON.parse(readFileSync(file, "utf8"));
  const handlers = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks: all }) =>
      all.flatMap(({ command }) =>
        command === undefined
          ? []
          : [
              {
                event,
                matcher,
                command: command.replaceAll(home === true ? OF_HOME : OF_PLUGIN, "$${CLAUDE_PROJECT_DIR}"),
              },
            ],
      ),
    ),
  );
  const name = `${of.repository} ${basename(pathOf(entry))}`;
  // Some plugins import their own files by the name of their folder.
  const named = join(dirname(project), basename(plugin ?? ""));
  if (plugin !== undefined && !existsSync(named)) symlinkSync(project, named);
  const root = plugin === undefined ? {} : { CLAUDE_PLUGIN_ROOT: named };
  return { name, place, env: { ...root, ...env }, handlers, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

/** Returns payloads for an event: one that a guard allows, and one that it may refuse. */
export function payloadsFor({ event }: Handler, project: string): readonly string[] {
  const base = { session_id: "s", transcript_path: join(project, "notes.txt"), cwd: project, hook_event_name: event };
  const calls = [
    { tool_name: "Bash", tool_input: { command: "git push --force origin main && rm -rf /" } },
    { tool_name: "Write", tool_input: { file_path: join(project, "src/app.py"), content: "rivers = 2\n" } },
  ];
  if (event.includes("Tool") || event === "PermissionRequest")
    return calls.map((call) => JSON.stringify({ ...base, ...call, tool_response: { success: true } }));
  return [JSON.stringify({ ...base, prompt: "Fix the login", source: "startup", trigger: "manual", reason: "other" })];
}
