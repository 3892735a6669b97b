import { type Contribution, diagnose, type Session as HookSession } from "@hookline/runtime";
import type { Contexts } from "../context/contexts.ts";
import type { Tool } from "../tool/tool.ts";
import type { OfferedByAgent } from "./core.ts";

/** What a set of tools is made of. */
export interface ToolParts {
  readonly hooks: HookSession;
  readonly contexts?: Contexts | undefined;
  readonly tools: readonly Tool[];
  /** Names offered to the model at the start; default all but the optional ones. */
  readonly active?: readonly string[] | undefined;
  /** Whether a tool is offered only when `active` has it. */
  readonly isOptional?: (name: string) => boolean;
}

/** The tools of one agent, and which of them the model is offered. */
export class ToolSet {
  readonly #parts: ToolParts;
  readonly #builtin: ReadonlyMap<string, OfferedByAgent>;
  readonly #shadowed = new Set<string>();
  #active: readonly string[] | undefined;

  constructor(parts: ToolParts) {
    this.#parts = parts;
    this.#active = parts.active;
    this.#builtin = new Map(parts.tools.map((tool) => [tool.name, { tool, type: "builtin" }]));
  }

  /**
   * Built-in tools and those that modules and plugins add. A module's tool replaces a built-in one of its name; of the
   * names that chibi itself has, its own tool runs and not a plugin's. Source: spec/chibi.md 1.2.
   */
  all(): ReadonlyMap<string, OfferedByAgent> {
    const { hooks, contexts } = this.#parts;
    const contributed = hooks.contributions.all<Tool>("tool");
    const ofContexts = contexts?.tools();
    if (contributed.size === 0 && !ofContexts?.size) return this.#builtin;
    const all = new Map<string, OfferedByAgent>([...this.#builtin, ...(ofContexts ?? [])]);
    for (const [name, { value, instance }] of contributed) {
      if (instance.lane === "chibi" && ofContexts?.has(name)) this.#tellShadowed(name, instance);
      else all.set(name, { tool: value, type: "plugin" });
    }
    return all;
  }

  /** Says once what is not used. */
  #tellShadowed(key: string, instance: Contribution["instance"]): void {
    const { source } = instance;
    if (this.#shadowed.has(`${source.path} ${key}`)) return;
    this.#shadowed.add(`${source.path} ${key}`);
    instance.report(
      diagnose("DUPLICATE", { kind: "tool", key, path: source.path, other: "chibi's own tool" }, { source }),
    );
  }

  /** The names that the model is offered. */
  active(): readonly string[] {
    const known = this.all();
    const { isOptional, contexts } = this.#parts;
    const active =
      this.#active?.filter((name) => known.has(name)) ??
      [...known.keys()].filter((name) => !isOptional?.(name) || known.get(name)?.type === "plugin");
    return contexts?.offered(active) ?? active;
  }

  /** Offers these from the next request on; unknown names are left out. */
  setActive(names: readonly string[]): void {
    const known = this.all();
    this.#active = names.filter((name) => known.has(name));
  }
}
