import { announceAgent, type Io } from "@hookline/ground/system";
import type { Diagnostic, HostServices, HostUi, Scene, TraceLine } from "@hookline/runtime";
import type { HookRuntime } from "@hookline/runtime/session";
import type { Patience } from "../hook/patience.ts";
import type { OpenedModels } from "../provider/models.ts";
import { loadApi } from "../provider/pi-ai.ts";
import type { SessionManager } from "../session/session.ts";
import type { StorageReport } from "../session/storage.ts";
import type { StoreOptions } from "../session/store.ts";
import { stopCapProblem } from "../settings/parts.ts";
import { settingOf } from "../settings/settings.ts";
import type { Arguments } from "./args.ts";
import { contextsOf } from "./contexts.ts";
import { Late } from "./late.ts";
import { modelsOf } from "./models.ts";
import { openOrCopy, requestOf } from "./open-session.ts";
import { type Place, placeOf, runtimeOf } from "./place.ts";
import { sceneOf } from "./scene.ts";

/** Options of a mode for assembling an agent. */
export interface AssembleOptions {
  readonly mode: NonNullable<HostServices["mode"]>;
  /** The person, if they can answer dialogs. */
  readonly ui?: HostUi | undefined;
  /** Lets the person give up on slow hooks of the start. */
  readonly patience?: Patience | undefined;
  onDiagnostic(diagnostic: Diagnostic): void;
  /** Called when the hooks are loaded, right before they are told of the session's start. */
  onStart?(): void;
  /** Observes all dispatches for telemetry. */
  readonly telemetry?: { watch(runtime: HookRuntime): void } | undefined;
  /** Called once, with a message, if the recording is incomplete. */
  onRecordingLost?(text: string): void;
  readonly trace?: { write(line: TraceLine): void; readonly payloads: boolean } | undefined;
}

/** Parts that an agent needs before its hooks: its place, models and session. */
export interface Opening {
  readonly args: Arguments;
  readonly io: Io;
  readonly options: AssembleOptions;
  readonly late: Late;
  readonly place: Place;
  readonly models: OpenedModels;
  readonly storing: StoreOptions;
  readonly contexts: ReturnType<typeof contextsOf>;
  readonly store: SessionManager;
  readonly runtime: HookRuntime;
  readonly scene: Scene;
  /** Ends the announcement that an agent runs here. */
  leave(): void;
}

/** Opens models and session. Its errors are for the person to fix first. */
export async function openPlace(args: Arguments, io: Io, options: AssembleOptions): Promise<Opening> {
  const place = await placeOf(args, io);
  const models = await modelsOf(args, io, place, options.mode === "tui");
  // Reads the client from disk while the hooks load; errors are reported at the first request.
  Promise.resolve(loadApi(models.model.api)).catch(() => undefined);
  for (const diagnostic of models.registry.diagnostics) options.onDiagnostic(diagnostic);
  for (const diagnostic of place.settings.diagnostics) options.onDiagnostic(diagnostic);
  const late = new Late();
  const storing = storingFor(place, late.warn);
  const capProblem = stopCapProblem(io.env);
  if (capProblem !== undefined) late.warn(capProblem);
  const leave = announceAgent(place.hooklineHome, place.cwd);
  const contexts = contextsOf(args, io, place);
  const request = requestOf(args) ?? contexts.startRequest();
  const store = await openOrCopy(args, place, storing, request, options.mode === "tui" ? options.ui : undefined);
  const runtime = runtimeOf(place, io, { keepsAlive: false });
  options.telemetry?.watch(runtime);
  const scene = sceneOf(place.cwd, store, late, contexts, () => args.flags["verbose"] === true);
  return { args, io, options, late, place, models, storing, contexts, store, runtime, scene, leave };
}

/** How the settings want sessions stored; `tell` is called with problems of the disk. */
function storingFor({ settings }: Place, tell: (text: string) => void): StoreOptions {
  return {
    durability: settingOf(settings, "durability").value === "entry" ? "entry" : "turn",
    onStorage: (report: StorageReport) => tell(report.message),
  };
}

/** The session that is open now; before there is an agent, the first one. */
export function currentStore({ late, store }: Opening): SessionManager {
  return late.agent?.core.store ?? store;
}
