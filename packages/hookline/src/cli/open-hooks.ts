import type { Io } from "@hookline/ground/system";
import { divertStdout } from "@hookline/ground/system";
import type { Diagnostic, Scene, TraceLine } from "@hookline/runtime";
import { FrozenConsent, type HookRuntime, type HookSession } from "@hookline/runtime/session";
import { dialectSettings } from "../settings/parts.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { lendingOf } from "../start/lending.ts";
import { offerOf } from "../start/offer.ts";
import { type Place, placeOf, runtimeOf } from "../start/place.ts";
import { formerLock, watchedLock } from "../start/watched-lock.ts";

/** A folder's hooks, loaded as for a run but without an agent. */
export interface OpenedHooks {
  readonly place: Place;
  readonly runtime: HookRuntime;
  readonly session: HookSession;
  readonly scene: Scene;
  /** How the project differs from its lock. */
  readonly lock: readonly Diagnostic[];
  /** Unloads the hooks. */
  close(): Promise<void>;
}

/** Options for opening hooks, besides those of the command line. */
interface OpenOptions {
  /** Called with the trace line of each dispatch. */
  watch?(line: TraceLine): void;
  /** Whether the tools are those of another agent, so hookline's own tools are not offered. Default: false. */
  readonly forHost?: boolean;
}

/**
 * Loads the hooks of a command's folder, and those that its flags name; needs no model. Until `close` is called,
 * everything that hooks write to stdout goes to stderr.
 */
export async function openHooks(
  args: Arguments,
  io: Io,
  { watch = () => {}, forHost = false }: OpenOptions = {},
): Promise<OpenedHooks> {
  const place = await placeOf(args, io);
  const runtime = runtimeOf(place, io);
  const model = textFlag(args, "model");
  const scene: Scene = {
    sessionId: "by-hand",
    cwd: place.cwd,
    model: model?.slice(model.indexOf("/") + 1) ?? "sample-model",
    messages: () => [],
    systemPrompt: () => "",
    context: textFlag(args, "context") ?? "default",
    summary: "",
    todos: "",
    goals: "",
    recursionDepth: 0,
  };
  const restore = divertStdout();
  const modules = await lendingOf(place, runtime, io);
  const lock = watchedLock(place, place.consent, io.env);
  const session = await runtime.open({
    // Diagnostics are not shown here, because the session's report has them.
    onDiagnostic: () => {},
    scene,
    ...(lock !== undefined && { consent: lock.consent }),
    services: { modules },
    explicit: args.extensions,
    // The cases of guards are not run first: hooks that are asked by hand answer even if they fail their cases.
    proves: false,
    settings: dialectSettings(place.settings),
    ...(!forHost && { offer: offerOf(place, args, io.env) }),
    ...(place.consent instanceof FrozenConsent && { expected: place.consent.expected }),
    // Only with a trace do outcomes report every hook, including those that answered nothing.
    trace: { write: watch, payloads: true },
  });
  const close = async (): Promise<void> => {
    await runtime.close();
    restore();
  };
  return {
    place,
    runtime,
    session,
    scene,
    lock: [...(lock?.former ?? formerLock(place.consent)), ...(lock?.problems() ?? [])],
    close,
  };
}
