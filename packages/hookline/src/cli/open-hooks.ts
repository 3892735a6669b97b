import {
  type Diagnostic,
  FrozenConsent,
  type Runtime,
  type Scene,
  type Session,
  type TraceLine,
} from "@hookline/runtime";
import type { Io } from "../io/io.ts";
import { divertStdout } from "../io/stdout.ts";
import { dialectSettings } from "../settings/parts.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { lendingOf } from "../start/lending.ts";
import { type Place, placeOf, runtimeOf } from "../start/place.ts";
import { watchedLock } from "../start/watched-lock.ts";

/** The hooks of a place, loaded as for a run, but without an agent. */
export interface OpenedHooks {
  readonly place: Place;
  readonly runtime: Runtime;
  readonly session: Session;
  readonly scene: Scene;
  /** Where the project does not meet its lock. */
  readonly lock: readonly Diagnostic[];
  /** Unloads the hooks. */
  close(): Promise<void>;
}

/**
 * Loads the hooks that a command line is about; needs no model. Until they are closed, their output to stdout goes to
 * stderr.
 */
export async function openHooks(
  args: Arguments,
  io: Io,
  watch: (line: TraceLine) => void = () => {},
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
    // The report has them.
    onDiagnostic: () => {},
    scene,
    ...(lock !== undefined && { consent: lock.consent }),
    services: { modules },
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
    ...(place.consent instanceof FrozenConsent && { expected: place.consent.expected }),
    // With a trace, every hook is reported, including silent ones.
    trace: { write: watch, payloads: true },
  });
  const close = async (): Promise<void> => {
    await runtime.close();
    restore();
  };
  return { place, runtime, session, scene, lock: lock?.problems() ?? [], close };
}
