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

/** The options with which a mode, such as print or RPC, assembles an agent. */
export interface AssembleOptions {
  readonly mode: NonNullable<HostServices["mode"]>;
  /** The user interface, if a person can answer dialogs. */
  readonly ui?: HostUi | undefined;
  /** Lets the person stop waiting for slow hooks during the start. */
  readonly patience?: Patience | undefined;
  onDiagnostic(diagnostic: Diagnostic): void;
  /** Is called when the hooks are loaded, right before they see the session's start. */
  onStart?(): void;
  /** Exports what happens in all sessions of the runtime as telemetry. */
  readonly telemetry?: { watch(runtime: HookRuntime): void } | undefined;
  /** Is called once, with a message, if the recording is incomplete. */
  onRecordingLost?(text: string): void;
  readonly trace?: { write(line: TraceLine): void; readonly payloads: boolean } | undefined;
}

/** The folders, the models, the session and the runtime that exist before an agent's hooks are loaded. */
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
  /** Removes the record that an agent runs in this folder. */
  leave(): void;
}

/** Opens models and session. Its errors say what the person must fix first. */
export async function openPlace(args: Arguments, io: Io, options: AssembleOptions): Promise<Opening> {
  const place = await placeOf(args, io);
  const models = await modelsOf(args, io, place, options.mode === "tui");
  // The provider's client is read from disk while the hooks load. An error is reported by the first request.
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

/** Returns the storage options in the settings. `tell` shows problems of the disk to the person. */
function storingFor({ settings }: Place, tell: (text: string) => void): StoreOptions {
  return {
    durability: settingOf(settings, "durability").value === "entry" ? "entry" : "turn",
    onStorage: (report: StorageReport) => tell(report.message),
  };
}

/** Returns the session that is open now; before there is an agent, the first one. */
export function currentStore({ late, store }: Opening): SessionManager {
  return late.agent?.core.store ?? store;
}
