import { join } from "node:path";
import { jcli } from "../../../integrations/src/jcli/hooks/index.ts";
import type { Dialect } from "../../src/dialect/dialect.ts";
import type { Instance } from "../../src/hook/instance.ts";

/** Waits whose end somebody else decides. */
export class Steps {
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = [];

  wait(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Ends one of the waits, well or badly. */
  go(pick: number, fails: boolean): void {
    const [one] = this.#waiting.splice(pick % Math.max(1, this.#waiting.length), 1);
    if (fails) one?.reject(new Error("interrupted"));
    else one?.resolve();
  }

  /** Resolves when everything that can happen without a further step has happened. */
  quiet(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

/** The actions of one module when it is loaded. */
export interface Behaviour {
  readonly found: boolean;
  readonly state: string;
  readonly waits: number;
  readonly registers: string;
  readonly ends: string;
}

/** A dialect whose modules `a`, `b` and `c` behave as they are told, with waits at each step. */
export function worldOf(home: string, items: readonly Behaviour[], steps: Steps) {
  const live = new Set<() => void>();
  const instances: Instance[] = [];
  const register = (instance: Instance, event: string): void => {
    const undo = instance.on({ event, run: () => undefined });
    live.add(undo);
  };
  const eventOf = ({ registers }: Behaviour): string =>
    registers === "observer" ? "session_end" : "pre_tool_execution";
  const dialect: Dialect = {
    id: "model",
    lanes: jcli.lanes,
    endsWhenBroken: true,
    async discover() {
      await steps.wait();
      const candidates = items.flatMap((item, at) =>
        item.found
          ? [
              {
                lane: "jcli",
                source: {
                  path: join(home, "abc"[at] ?? ""),
                  tier: "user" as const,
                  dialect: "model",
                  api: "extension",
                },
                state: item.state as "runs",
                reason: item.state,
                files: [],
                definition: item,
              },
            ]
          : [],
      );
      return { searched: [], candidates, diagnostics: [] };
    },
    async load({ definition }, instance) {
      const item = definition as Behaviour;
      instances.push(instance);
      if (item.registers === "before" || item.registers === "observer") register(instance, eventOf(item));
      for (let i = 0; i < item.waits; i++) await steps.wait();
      if (item.registers === "after") register(instance, eventOf(item));
      if (item.ends === "throws") throw new Error("broken");
      if (item.ends === "hangs") await new Promise(() => {});
    },
  };
  const nth = <T>(all: Iterable<T>, pick: number): T | undefined => {
    const list = [...all];
    return list[pick % Math.max(1, list.length)];
  };
  return {
    dialect,
    /** One registered handler goes. */
    remove(pick: number) {
      const undo = nth(live, pick);
      if (undo === undefined) return;
      live.delete(undo);
      undo();
    },
    /** A module registers a handler late. */
    add(pick: number) {
      const instance = nth(instances, pick);
      if (instance !== undefined && !instance.disposed) register(instance, "pre_tool_execution");
    },
  };
}
