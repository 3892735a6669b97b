import type { HostServices } from "@hookline/runtime";
import { type Exclusion, exclusionOf } from "@hookline/runtime/engine";
import { FrozenConsent, type HookSession } from "@hookline/runtime/session";
import { announcing } from "../agent/dialogs.ts";
import { llmOf } from "../agent/llm.ts";
import { agentServices } from "../agent/services.ts";
import { guardSession, liveSettings } from "../settings/parts.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { sightTools } from "../tool/builtin.ts";
import { Admission } from "./admit.ts";
import { type Arguments, textFlag } from "./args.ts";
import { lending } from "./lending.ts";
import { offerOf, toolLimit } from "./offer.ts";
import { currentStore, type Opening } from "./opening.ts";
import { askProjectTrust, DecidedConsent, HeldReports } from "./project-trust.ts";
import { type RunRecording, recordingOf } from "./recording.ts";
import { tellLock, watchedLock } from "./watched-lock.ts";

/** The functions of the agent that hooks can call, and the values that hooks set. */
export interface Offered {
  readonly services: HostServices;
  readonly llm: ReturnType<typeof llmOf>;
  /** Returns the files that rules hide from tools; undefined if there are none. */
  excludes(): Exclusion | undefined;
  /** Environment variables that hooks have set for the agent's commands. */
  readonly environment: Record<string, string>;
  /** Values of the flags that extensions have registered. */
  readonly flags: Map<string, boolean | string>;
}

/** The loaded hooks, the decision whether they may run, and their recording. */
export interface LoadedHooks {
  readonly hooks: HookSession;
  readonly admission: Admission;
  readonly recording: RunRecording;
}

/** Makes the functions of the agent that hooks can call. They find the agent later, when it has been created. */
export function offerToHooks(opening: Opening): Offered {
  const { args, options, late, place, models, store, runtime } = opening;
  const { cwd, hooklineHome } = place;
  const { registry } = models;
  const { processes } = runtime;
  const wanted = toolLimit(args);
  const excludes = (): Exclusion | undefined => late.hooks && exclusionOf(late.hooks.contributions);
  const llm = llmOf(late, registry, { cwd, tools: () => sightTools({ cwd, processes, excludes }, wanted) });
  const ui = options.ui && announcing(options.ui, () => late.hooks);
  const flags = new Map(args.foreign);
  const environment: Record<string, string> = {};
  const current = () => late.agent && { model: late.agent.core.model, thinking: late.agent.core.thinking };
  const guards = guardSession(place, () => rereadSettings(opening));
  const modules = lending({ cwd, hooklineHome, processes, registry, guards, current });
  const { mode } = options;
  const services = agentServices({ mode, ui, late, store, registry, runtime, llm, cwd, modules, environment, flags });
  return { services, llm, excludes, environment, flags };
}

/** Finds and loads the hooks, and asks the person where only they can decide. Throws if the hooks must not run. */
export async function loadHooks(opening: Opening, { services, flags }: Offered): Promise<LoadedHooks> {
  const { args, io, options, late, place, store, runtime, scene } = opening;
  const fetching = { note: late.warn, report: options.onDiagnostic };
  if (args.extensions.some((given) => given.includes(":"))) {
    const { fetchNamed } = await import("./fetch-named.ts");
    await fetchNamed(args.extensions, place, io.env, fetching);
  }
  const asksTrust = args.flags["frozen"] !== true && args.flags["trust-project"] !== true;
  const consent = new DecidedConsent(place.consent);
  const lock = watchedLock(place, asksTrust ? consent : place.consent, io.env);
  const reports = new HeldReports(options.onDiagnostic);
  const recording = await recordingOf(args, io, place, {
    sessionFile: () => currentStore(opening).getSessionFile(),
    tell: (text) => options.onRecordingLost?.(text),
  });
  const hooks = await runtime.open({
    scene,
    recorder: recording.recorder,
    services,
    ...(lock === undefined ? asksTrust && { consent } : { consent: lock.consent }),
    explicit: args.extensions,
    settings: liveSettings(place.settings, () => rereadSettings(opening)),
    ...(place.consent instanceof FrozenConsent && { expected: place.consent.expected }),
    stats: true,
    offer: offerOf(place, args, io.env),
    onDiagnostic: reports.take,
    ...(options.trace !== undefined && { trace: options.trace }),
  });
  late.hooks = hooks;
  if (asksTrust) await askProjectTrust({ place, hooks, consent, signal: options.patience?.signal, tell: late.warn });
  reports.tell(hooks);
  const isAttended = options.mode === "tui";
  const admission = new Admission({
    place,
    hooks,
    ui: isAttended ? services.ui : undefined,
    allowsBroken: args.flags["allow-broken-hooks"] === true,
    leftOut: leftOut(args),
    ...(isAttended && {
      offer: async () => (await import("./fetch-named.ts")).packageOffer(place, io.env, fetching),
    }),
    tell: late.warn,
  });
  try {
    await admission.begin();
    tellLock(lock, place, options.onDiagnostic);
  } catch (thrown) {
    store.close();
    await runtime.close();
    throw thrown;
  }
  // Only the loaded extensions determine which flags have the next word as their value.
  for (const [name, value] of args.again(registeredFlags(hooks)).foreign) flags.set(name, value);
  return { hooks, admission, recording };
}

function rereadSettings({ place, io }: Opening): Settings {
  return readSettings(place.hooklineHome, place.cwd, io.managed);
}

/** Returns the flag that leaves hooks out, if there is one. */
function leftOut(args: Arguments): string | undefined {
  if (args.flags["no-hooks"] === true) return "--no-hooks";
  return textFlag(args, "dialects") === undefined ? undefined : "--dialects";
}

/** Returns the flags that extensions have registered, with the kinds of their values. */
export function registeredFlags(hooks: HookSession): ReadonlyMap<string, "boolean" | "string"> {
  const flags = hooks.contributions.all<{ readonly type: "boolean" | "string" }>("flag");
  return new Map([...flags].map(([name, { value }]) => [name, value.type]));
}
