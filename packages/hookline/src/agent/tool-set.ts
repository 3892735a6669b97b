import { diagnose } from "@hookline/ground";
import type { Contribution } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import type { Contexts } from "../context/contexts.ts";
import type { Tool } from "../tool/tool.ts";
import type { OfferedByAgent } from "../turn/core.ts";

/** The parts from which a set of tools is built. */
export interface ToolParts {
  readonly hooks: HookSession;
  readonly contexts?: Contexts | undefined;
  readonly tools: readonly Tool[];
  /** The tools that MCP servers currently offer. */
  mcpTools?(): ReadonlyMap<string, Tool>;
  /** The only tools that the model may be offered. Default: all, but optional ones only if a hook selects them. */
  readonly limit?: readonly string[] | undefined;
  /** Whether a tool is offered only if `limit` or a hook names it. */
  readonly isOptional?: (name: string) => boolean;
}

/** The tools that a hook has selected, and all tools that existed then. Tools that are registered later are added. */
interface Selection {
  readonly names: readonly string[];
  readonly from: ReadonlySet<string>;
}

/** The tools of one agent, and the subset that the model is offered. */
export class ToolSet {
  readonly #parts: ToolParts;
  readonly #builtin: ReadonlyMap<string, OfferedByAgent>;
  readonly #shadowed = new Set<string>();
  #selection: Selection | undefined;

  constructor(parts: ToolParts) {
    this.#parts = parts;
    this.#builtin = new Map(parts.tools.map((tool) => [tool.name, { tool, type: "builtin" }]));
  }

  /**
   * Returns built-in tools and the tools of modules, plugins and servers, by name. A module's tool replaces a built-in
   * one of the same name. Only chibi's own tools cannot be replaced by a plugin's tool. Source: spec/chibi.md 1.2.
   */
  all(): ReadonlyMap<string, OfferedByAgent> {
    const { hooks, contexts } = this.#parts;
    const contributed = hooks.contributions.all<Tool>("tool");
    const ofContexts = contexts?.tools();
    const ofServers = this.#parts.mcpTools?.();
    if (contributed.size === 0 && !ofContexts?.size && !ofServers?.size) return this.#builtin;
    const all = new Map<string, OfferedByAgent>([...this.#builtin, ...(ofContexts ?? [])]);
    for (const [name, { value, instance }] of contributed) {
      if (instance.lane === "chibi" && ofContexts?.has(name)) this.#tellShadowed(name, instance);
      else all.set(name, { tool: value, type: "plugin" });
    }
    // An MCP server's tool may replace a project's tool of the same name, but no other tool. A tool with a new name is
    // added at the end.
    for (const [name, tool] of ofServers ?? [])
      if (!all.has(name) || contributed.get(name)?.instance.source.tier === "project")
        all.set(name, { tool, type: "mcp" });
    return all;
  }

  /** Reports, once, a plugin's tool that is not used because chibi's own tool has its name. */
  #tellShadowed(key: string, instance: Contribution["instance"]): void {
    const { source } = instance;
    if (this.#shadowed.has(`${source.path} ${key}`)) return;
    this.#shadowed.add(`${source.path} ${key}`);
    instance.report(
      diagnose("DUPLICATE", { kind: "tool", key, path: source.path, other: "chibi's own tool" }, { source }),
    );
  }

  /** Returns the names of the tools that the model is offered. */
  active(): readonly string[] {
    const active = this.#active(this.#selection ?? { names: [], from: new Set() });
    return this.#parts.contexts?.offered(active) ?? active;
  }

  /** The tools that a hook has selected, with those registered since; undefined while the default tools are used. */
  get selected(): readonly string[] | undefined {
    return this.#selection && this.#active(this.#selection);
  }

  /** Offers these tools from the next request on; ignores unknown names. `undefined` selects the default tools. */
  select(names: readonly string[] | undefined): void {
    const known = this.all();
    const { limit } = this.#parts;
    this.#selection = names && {
      names: [...new Set(names)].filter((name) => known.has(name) && limit?.includes(name) !== false),
      from: new Set(known.keys()),
    };
  }

  /** Treats all tools of modules as newly registered, so that they are offered again after a reload. */
  reloaded(): void {
    if (this.#selection === undefined) return;
    const { names, from } = this.#selection;
    this.#selection = { names, from: new Set([...from].filter((name) => this.#builtin.has(name))) };
  }

  #active({ names, from }: Selection): readonly string[] {
    const known = this.all();
    const joined = [...known.keys()].filter((name) => !from.has(name) && this.#isUsual(name, known));
    return [...names.filter((name) => known.has(name)), ...joined];
  }

  #isUsual(name: string, known: ReadonlyMap<string, OfferedByAgent>): boolean {
    const { limit, isOptional } = this.#parts;
    if (limit !== undefined) return limit.includes(name);
    return !isOptional?.(name) || known.get(name)?.type !== "builtin";
  }
}
