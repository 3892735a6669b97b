import { diagnose } from "@hookline/runtime/dialect";
import { equal } from "@hookline/runtime/engine";
import { guardFailureOf } from "./config.ts";
import { pointsByName } from "./events.ts";
import type { Plugin } from "./plugin.ts";
import { pluginHook } from "./plugin-hook.ts";
import { pluginTool } from "./plugin-tool.ts";
import { type Point, TIMEOUT_MS } from "./point.ts";
import type { Entry } from "./schema.ts";

/** Registers a plugin's entries and removes registrations that they no longer contain. */
export type Apply = (entries: readonly Entry[]) => void;

/**
 * Returns a function that registers a plugin's hooks and tools. Each further call adds and removes only what has
 * changed; unchanged hooks keep their place in the order, and new ones come last until the next load.
 */
export function register(plugin: Plugin): Apply {
  const hooks = new Map<string, () => void>();
  const tools = new Map<string, { readonly entry: Entry; undo(): void }>();
  return (entries) => {
    applyHooks(plugin, entries, hooks);
    applyTools(plugin, entries, tools);
  };
}

function applyHooks(plugin: Plugin, entries: readonly Entry[], hooks: Map<string, () => void>): void {
  const wanted = new Map<string, { readonly point: Point; readonly tool: string }>();
  for (const { name, hooks: names } of entries) {
    for (const event of names) {
      // Two entries that list the same point start the plugin twice for it, even if the entries have the same name.
      let key = `${event} ${name}`;
      while (wanted.has(key)) key += "'";
      wanted.set(key, { point: pointsByName.get(event) as Point, tool: name });
    }
  }
  for (const [key, undo] of hooks) {
    if (wanted.has(key)) continue;
    undo();
    hooks.delete(key);
  }
  const closed = guardFailureOf(plugin.around.scan.settings, plugin.source.tier) === "closed";
  for (const [key, { point, tool }] of wanted) {
    if (hooks.has(key)) continue;
    const undo = plugin.instance.on({
      event: point.name,
      run: pluginHook(plugin, point, tool),
      timeoutMs: Number.POSITIVE_INFINITY,
      transportMs: TIMEOUT_MS,
      ...(closed && { onError: "abort" as const }),
    });
    hooks.set(key, undo);
  }
}

function applyTools(
  plugin: Plugin,
  entries: readonly Entry[],
  tools: Map<string, { readonly entry: Entry; undo(): void }>,
): void {
  const { instance, source, around } = plugin;
  const wanted = new Map<string, Entry>();
  for (const entry of entries) {
    if (!entry.offered) continue;
    if (!wanted.has(entry.name)) wanted.set(entry.name, entry);
    else {
      const details = { kind: "tool", key: entry.name, path: source.path, other: "an earlier entry of the plugin" };
      instance.report(diagnose("DUPLICATE", details, { source }));
    }
  }
  for (const [name, { undo }] of tools) {
    if (wanted.has(name)) continue;
    undo();
    tools.delete(name);
  }
  for (const [name, entry] of wanted) {
    const known = tools.get(name)?.entry;
    if (known !== undefined && described(known, entry)) continue;
    const undo = around.contributions.add("tool", name, pluginTool(plugin, entry), instance, "first");
    tools.set(name, { entry, undo });
  }
}

function described(a: Entry, b: Entry): boolean {
  return a.description === b.description && equal(a.parameters, b.parameters);
}
