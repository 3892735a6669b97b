import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { EventName } from "../../src/catalog/catalog.ts";
import { catalog } from "../../src/catalog/catalog.ts";
import type { Dialect } from "../../src/dialect/dialect.ts";
import { shallow } from "../../src/fold/index.ts";
import type { Instance } from "../../src/hook/instance.ts";
import { sameView } from "../../src/run/library.ts";
import { createHookRuntime, type HookRuntime } from "../../src/session/runtime.ts";
import type { HookSession } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/session-parts.ts";
import { ManualClock } from "./clock.ts";
import { reader } from "./reader.ts";

export type Handler = (event: any, call: any) => unknown;

export interface Opened {
  readonly runtime: HookRuntime;
  readonly session: HookSession;
  readonly clock: ManualClock;
}

/** Opens a session on a clock that stands still. */
export async function openWith(
  of: { readonly dialects?: readonly Dialect[]; readonly clock?: ManualClock } & Partial<SessionOptions>,
): Promise<Opened> {
  const { dialects = [], clock = new ManualClock(), ...options } = of;
  const runtime = createHookRuntime({ dialects, home: NO_HOME, clock });
  return { runtime, clock, session: await runtime.open({ scene: { sessionId: "s", cwd: "/" }, ...options }) };
}

/** A dialect with one event, which is the catalog's, seen as it is; `load` registers its hooks. */
export function dialectOf(id: string, of: EventName, load: (instance: Instance) => void, live = false): Dialect {
  const cells = catalog.get(of) as any;
  return {
    id,
    lanes: [
      {
        id,
        isolate: true,
        live,
        rows: [{ ...cells, name: of, of, fold: shallow() as never, read: reader as never, view: sameView }],
      },
    ],
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: [
        {
          lane: id,
          source: { path: `/${id}`, tier: "user", dialect: id },
          state: "runs",
          files: [],
          definition: undefined,
        },
      ],
    }),
    load: (_, instance) => load(instance),
  };
}

/** Dialects with one hook each. */
export function lanesOf(ids: readonly string[], of: EventName, handler: (lane: string) => Handler): Dialect[] {
  return ids.map((id) => dialectOf(id, of, (instance) => void instance.on({ event: of, run: handler(id) as never })));
}
