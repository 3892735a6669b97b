import { join } from "node:path";
import { FrozenConsent, type Runtime, type Scene, type Session } from "@hookline/runtime";
import { lentModule } from "../compat/modules.ts";
import type { Mentions } from "../compat/part.ts";
import type { Io } from "../io/io.ts";
import { divertStdout } from "../io/stdout.ts";
import { LentRegistry } from "../provider/lent-registry.ts";
import { readModelsFile } from "../provider/models-file.ts";
import { dialectSettings } from "../settings/parts.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { type Place, placeOf, runtimeOf } from "../start/place.ts";

/** The hooks of a place, loaded as for a run but without an agent. */
export interface OpenedHooks {
  readonly place: Place;
  readonly runtime: Runtime;
  readonly session: Session;
  readonly scene: Scene;
  /** Lets go of the hooks. */
  close(): Promise<void>;
}

/** Loads the hooks that a command line is about; needs no model. What they print goes to stderr until they are closed. */
export async function openHooks(args: Arguments, io: Io): Promise<OpenedHooks> {
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
  const registry = new LentRegistry({
    env: io.env,
    file: await readModelsFile(join(place.hooklineHome, "models.json")),
  });
  const lent = { cwd: place.cwd, hooklineHome: place.hooklineHome, processes: runtime.processes, registry };
  const session = await runtime.open({
    scene,
    // Modules that find their packages load as they would in a run.
    services: { modules: (specifier, mentions?: Mentions) => lentModule(lent, specifier, mentions) },
    explicit: args.extensions,
    settings: dialectSettings(place.settings),
    ...(place.consent instanceof FrozenConsent && { expected: place.consent.expected }),
    // With a trace every hook is told of, the silent ones included.
    trace: { write: () => {} },
  });
  const close = async (): Promise<void> => {
    await runtime.close();
    restore();
  };
  return { place, runtime, session, scene, close };
}
