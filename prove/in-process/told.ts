import { join } from "node:path";
import { type Ended, type Modules, runHost } from "../stage/modules.ts";

/** The output of this folder's host. */
export interface Told {
  readonly told: readonly { readonly code: string; readonly message: string }[];
  /** Number of turns whose tool call returned. */
  readonly answered: number;
  readonly loaded: readonly { readonly path: string; readonly state: string; readonly reason?: string }[];
}

/** Runs some turns with these extensions in a separate process. */
export function runTurns({ home }: Modules, turns: number, turnMs = 2): Promise<Ended<Told>> {
  return runHost(join(import.meta.dirname, "host.ts"), [home, `${turns}`, `${turnMs}`]);
}
