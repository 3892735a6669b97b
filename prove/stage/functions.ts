import type { RuntimeOptions, SessionOptions } from "@hookline/runtime";
import type { Dialect } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { NO_HOME } from "../../scripts/no-home.ts";

/** A handler of any lane's event: its arguments and its possible answers differ from row to row. */
// biome-ignore lint/suspicious/noExplicitAny: a trial's handlers do what their rows forbid
export type Handler = (event: any, call: any) => unknown;

/** A function in a lane of a real dialect. */
export interface Placed {
  readonly lane: string;
  readonly event: string;
  readonly run: Handler;
  /** The path of the module that the function pretends to be from. Default `/stage`. */
  readonly path?: string;
  readonly timeoutMs?: number;
}

/** Returns the dialect with functions in place of the hooks that it would find; `hooks` is called at each load. */
export function staged(dialect: Dialect, hooks: () => readonly Placed[]): Dialect {
  const own = new Set(dialect.lanes.map(({ id }) => id));
  let current: readonly Placed[] = [];
  return {
    ...dialect,
    discover: () => {
      current = hooks().filter(({ lane }) => own.has(lane));
      const places = new Map(current.map(({ lane, path = "/stage" }) => [`${lane} ${path}`, { lane, path }]));
      const candidates = [...places.values()].map(({ lane, path }) => ({
        lane,
        source: { path, tier: "user" as const, dialect: dialect.id },
        state: "runs" as const,
        files: [],
        definition: current.filter((hook) => hook.lane === lane && (hook.path ?? "/stage") === path),
      }));
      return { searched: [], diagnostics: [], candidates };
    },
    load: ({ definition }, instance) => {
      for (const { event, run, timeoutMs } of definition as readonly Placed[]) instance.on({ event, run, timeoutMs });
    },
  };
}

/** A session whose hooks are functions. */
export interface Opened extends AsyncDisposable {
  readonly session: HookSession;
}

/** Opens a session with these functions in the dialects' real lanes; reads nothing on this machine. */
export async function openStaged(
  dialects: readonly Dialect[],
  hooks: readonly Placed[],
  { runtime = {}, ...session }: Partial<SessionOptions> & { readonly runtime?: RuntimeOptions } = {},
): Promise<Opened> {
  const made = createHookRuntime({
    home: NO_HOME,
    env: {},
    ...runtime,
    dialects: dialects.map((dialect) => staged(dialect, () => hooks)),
  });
  const scene = { sessionId: "stage", cwd: "/", messages: () => [], systemPrompt: () => "" };
  return {
    session: await made.open({ scene, ...session }),
    [Symbol.asyncDispose]: () => made.close(),
  };
}
