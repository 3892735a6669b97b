import type { Session as HookSession } from "@hookline/runtime";
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
  /** Names that are offered only when `active` has them. */
  readonly optional?: readonly string[];
}

/** The tools of one agent, and which of them the model is offered. */
export class ToolSet {
  readonly #parts: ToolParts;
  readonly #builtin: ReadonlyMap<string, OfferedByAgent>;
  #active: readonly string[] | undefined;

  constructor(parts: ToolParts) {
    this.#parts = parts;
    this.#active = parts.active;
    this.#builtin = new Map(parts.tools.map((tool) => [tool.name, { tool, type: "builtin" }]));
  }

  /** Built-in tools and those that modules and plugins add; a module's tool replaces a built-in one of its name. */
  all(): ReadonlyMap<string, OfferedByAgent> {
    const { hooks, contexts } = this.#parts;
    const contributed = hooks.contributions.all<Tool & { readonly keepsBuiltin?: boolean }>("tool");
    const ofContexts = contexts?.tools();
    if (contributed.size === 0 && !ofContexts?.size) return this.#builtin;
    const all = new Map<string, OfferedByAgent>([...this.#builtin, ...(ofContexts ?? [])]);
    for (const [name, { value }] of contributed) {
      if (!(value.keepsBuiltin && this.#builtin.has(name))) all.set(name, { tool: value, type: "plugin" });
    }
    return all;
  }

  /** The names that the model is offered. */
  active(): readonly string[] {
    const known = this.all();
    const { optional = [], contexts } = this.#parts;
    const active =
      this.#active?.filter((name) => known.has(name)) ??
      [...known.keys()].filter((name) => !optional.includes(name) || known.get(name)?.type === "plugin");
    return contexts?.offered(active) ?? active;
  }

  /** Offers these from the next request on; unknown names are left out. */
  setActive(names: readonly string[]): void {
    const known = this.all();
    this.#active = names.filter((name) => known.has(name));
  }
}
