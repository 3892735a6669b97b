import {
  type AutocompleteItem,
  type AutocompleteProvider,
  type AutocompleteSuggestions,
  CombinedAutocompleteProvider,
  fuzzyFilter,
  type SlashCommand,
} from "@earendil-works/pi-tui";
import type { Agent } from "../../agent/agent.ts";
import { walk } from "../../tool/walk.ts";
import { oneLine } from "../../tui/shown.ts";

const MOST_FILES = 20_000;
const MOST_SHOWN = 50;
/** How long a list of file names is used before the folder is read again, in ms. */
const FRESH_MS = 5000;

const MENTION = /(?:^|[\s("'])(@("[^"]*|[^\s"]*))$/;

/** Completes commands, their arguments, files after `@`, and paths. */
export function completions(agent: Agent): AutocompleteProvider {
  const { cwd } = agent.core.scene;
  const files = new FileNames(cwd);
  const others = (): CombinedAutocompleteProvider => new CombinedAutocompleteProvider(commandsOf(agent), cwd);
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, line, column, options): Promise<AutocompleteSuggestions | null> {
      // A line that starts with two slashes is a text, such as a code comment, and not a command.
      if (line === 0 && lines[0]?.startsWith("//")) return null;
      const prefix = MENTION.exec((lines[line] ?? "").slice(0, column))?.[1];
      if (prefix === undefined) return others().getSuggestions(lines, line, column, options);
      const names = await files.list(options.signal);
      const query = prefix.replace(/^@"?/, "");
      const found = query === "" ? names.slice(0, MOST_SHOWN) : fuzzyFilter([...names], query, (name) => name);
      const items = found.slice(0, MOST_SHOWN).map(fileItem);
      return items.length === 0 ? null : { items, prefix };
    },
    applyCompletion: (lines, line, column, item, prefix) => others().applyCompletion(lines, line, column, item, prefix),
    shouldTriggerFileCompletion: (lines, line, column) => others().shouldTriggerFileCompletion(lines, line, column),
  };
}

function fileItem(name: string): AutocompleteItem {
  return { value: name.includes(" ") ? `@"${name}"` : `@${name}`, label: oneLine(name) };
}

function commandsOf(agent: Agent): SlashCommand[] {
  const { core } = agent;
  const named = new Map<string, SlashCommand>();
  const add = (name: string, description: string | undefined, more: Partial<SlashCommand> = {}): void => {
    if (!named.has(name)) named.set(name, { name, description: oneLine(description ?? ""), ...more });
  };
  for (const { name, description } of agent.commands.values()) add(name, description);
  interface Foreign {
    readonly description?: string;
    getArgumentCompletions?(prefix: string): unknown;
  }
  for (const [name, { value }] of core.hooks.contributions.all<Foreign>("command")) {
    const complete = value.getArgumentCompletions;
    add(name, value.description, {
      ...(complete !== undefined && {
        getArgumentCompletions: async (prefix) => inertItems(await complete.call(value, prefix)),
      }),
    });
  }
  for (const { name, description } of core.resources.templates) add(name, description);
  for (const { name, description } of core.resources.skills) add(`skill:${name}`, description);
  for (const [name, { prompt }] of core.servers?.prompts ?? []) add(name, prompt.description);
  return [...named.values()];
}

/** Returns the valid items of an extension's completions, labels as single lines; null if `items` is no list. */
function inertItems(items: unknown): AutocompleteItem[] | null {
  if (!Array.isArray(items)) return null;
  return items.flatMap((item: Partial<AutocompleteItem> | null) => {
    if (typeof item?.value !== "string") return [];
    const label = oneLine(item.label ?? item.value);
    return [{ value: item.value, label, ...(item.description && { description: oneLine(item.description) }) }];
  });
}

/** Lists the files and folders below a folder, without those in `.gitignore`. Reuses the list for `FRESH_MS`. */
class FileNames {
  readonly #cwd: string;
  #names: readonly string[] = [];
  #until = 0;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  async list(signal: AbortSignal): Promise<readonly string[]> {
    if (performance.now() < this.#until) return this.#names;
    const names: string[] = [];
    try {
      for await (const { relative, kind } of walk(this.#cwd, { cwd: this.#cwd, signal })) {
        if (kind === "other") continue;
        names.push(kind === "folder" ? `${relative}/` : relative);
        if (names.length >= MOST_FILES) break;
      }
    } catch (thrown) {
      if (signal.aborted) return this.#names;
      throw thrown;
    }
    this.#names = names;
    this.#until = performance.now() + FRESH_MS;
    return names;
  }
}
