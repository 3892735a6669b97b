import { NO_HOME } from "../../../../scripts/no-home.ts";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { Dialect } from "../../../runtime/src/dialect/dialect.ts";
import type { Scene } from "../../../runtime/src/hook/lane.ts";
import { createHookRuntime } from "../../../runtime/src/session/runtime.ts";
import type { HookSession } from "../../../runtime/src/session/session.ts";
import { chibi } from "../../src/chibi/hooks/index.ts";

export type Handler = (event: any, call: any) => unknown;

export interface Opened {
  readonly session: HookSession;
  readonly diagnostics: Diagnostic[];
}

/** A session whose chibi lane has these functions instead of plugins: one plugin each, in order. */
export async function openLane(
  hooks: readonly (readonly [event: string, run: Handler])[],
  about: { readonly scene?: Partial<Scene>; readonly onError?: "abort"; readonly beside?: readonly Dialect[] } = {},
): Promise<Opened> {
  const dialect: Dialect = {
    id: "chibi",
    lanes: chibi.lanes,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: hooks.map(([event], index) => ({
        lane: "chibi",
        source: { path: `/plugins/${index}-${event}`, tier: "user", dialect: "chibi" },
        state: "runs",
        files: [],
        definition: index,
      })),
    }),
    load: ({ definition }, instance) => {
      const [event, run] = hooks[definition as number] as (typeof hooks)[number];
      instance.on({ event, run: run as never, ...(about.onError && { onError: about.onError }) });
    },
  };
  const diagnostics: Diagnostic[] = [];
  const runtime = createHookRuntime({ dialects: [dialect, ...(about.beside ?? [])], home: NO_HOME });
  const session = await runtime.open({
    scene: { sessionId: "s", cwd: "/work", ...about.scene },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  return { session, diagnostics };
}

/** Records every event that it is given, and answers what it is told to. */
export function recorder(answer?: unknown): { readonly seen: any[]; readonly run: Handler } {
  const seen: any[] = [];
  return {
    seen,
    run: (event) => {
      seen.push(event);
      return answer;
    },
  };
}
