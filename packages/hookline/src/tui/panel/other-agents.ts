import { join } from "node:path";
import { readHostStats } from "@hookline/runtime/session";

/** How long the counts of hooks' runs in other agents are shown before they are read again, in ms. */
const FRESH_MS = 5000;

/** Counts the hooks' runs in other agents, which ask them through the bridge, over all sessions. */
export class OtherAgents {
  readonly #folder: string;
  #read = { at: Number.NEGATIVE_INFINITY, byHook: new Map<string, string[]>() };

  constructor(hooklineHome: string) {
    this.#folder = join(hooklineHome, "stats");
  }

  /** Describes one hook's runs in other agents in a few words; undefined if it never ran there. */
  of(id: string): string | undefined {
    if (performance.now() - this.#read.at > FRESH_MS) this.#read = { at: performance.now(), byHook: this.#readAll() };
    const said = this.#read.byHook.get(id);
    return said === undefined ? undefined : `in other agents: ${said.join("; ")}`;
  }

  #readAll(): Map<string, string[]> {
    const byHook = new Map<string, string[]>();
    for (const { id, host = "", runs, blocked, failed } of readHostStats(this.#folder)) {
      const parts = [`${runs} ${runs === 1 ? "run" : "runs"}`];
      if (blocked > 0) parts.push(`${blocked} refused`);
      if (failed > 0) parts.push(`${failed} failed`);
      byHook.set(id, [...(byHook.get(id) ?? []), `${host} ${parts.join(", ")}`]);
    }
    return byHook;
  }
}
