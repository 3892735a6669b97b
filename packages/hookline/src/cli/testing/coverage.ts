import { place } from "@hookline/ground";
import { catalog, type Lane } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import type { CaseResult } from "./run-case.ts";

/** Says which of the loaded hooks the cases asked, and which outcomes of these hooks no case expects. */
export interface Coverage {
  readonly hooks: readonly {
    readonly id: string;
    readonly source: string;
    readonly event: string;
    /** The number of cases that asked this hook. */
    readonly cases: number;
    /** The outcomes that a hook can have and no case expects; only for a hook that can refuse. */
    readonly missing: readonly ("allow" | "deny")[];
  }[];
  readonly asked: number;
  readonly all: number;
}

/** Kinds of events in which a hook decides whether something happens. */
const DECIDES: ReadonlySet<string> = new Set(["guard", "gate"]);

/** Finds the hooks, events and outcomes that no case reaches. */
export function coverageOf(session: HookSession, lanes: readonly Lane[], results: readonly CaseResult[]): Coverage {
  const hooks = session.hooks().flatMap(({ lane, hook }) => {
    const row = lanes.find(({ id }) => id === lane)?.rows.find(({ name }) => name === hook.event);
    if (row === undefined) return [];
    const own = results.filter(({ asked }) => asked.includes(hook.id));
    const decides = DECIDES.has(catalog.get(row.of)?.kind ?? "");
    const isDenied = own.some(({ word }) => word === "deny" || word === "ask");
    const isAllowed = own.some(({ word }) => word !== undefined && word !== "deny" && word !== "ask");
    const missing = decides ? [...(isAllowed ? [] : ["allow" as const]), ...(isDenied ? [] : ["deny" as const])] : [];
    return [{ id: hook.id, source: place(hook.source), event: hook.event, cases: own.length, missing }];
  });
  return { hooks, asked: hooks.filter(({ cases }) => cases > 0).length, all: hooks.length };
}
