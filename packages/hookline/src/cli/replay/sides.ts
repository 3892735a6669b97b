import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chooseFrom } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { divertStdout, shortPath, wrongUse } from "@hookline/ground/system";
import { type DialectSettings, expandPath, type Hook } from "@hookline/runtime/engine";
import type { ReadServices } from "@hookline/runtime/past";
import type { OpenSide } from "@hookline/runtime/replay";
import { FrozenConsent, type HookRuntime, type HookSession, meantBy, pathIn } from "@hookline/runtime/session";
import { dialectSettings } from "../../settings/parts.ts";
import type { Arguments } from "../../start/args.ts";
import { lendingOf } from "../../start/lending.ts";
import { type Place, runtimeOf } from "../../start/place.ts";

/** The two sets of hooks that a replay compares (its sides): the current hooks, and the changed ones to try. */
export interface Sides {
  readonly runtime: HookRuntime;
  readonly candidate: OpenSide;
  /** Opens the current hooks, to compare with `candidate`; absent if no flag adds or leaves out hooks. */
  readonly current: OpenSide | undefined;
  readonly services: ReadServices;
  /** The folder in which hooks run. */
  readonly cwd: string;
  isObserver(hook: Hook): boolean;
  /** Notes for the person about hooks that do not run. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/**
 * Calls a function with both sides of a replay, then closes them. Meanwhile nothing that hooks print reaches stdout,
 * and `HOOKLINE_REPLAY` says to hooks in this process that they are asked about the past.
 */
export async function withSides<T>(
  args: Arguments,
  io: Io,
  place: Place,
  work: (sides: Sides) => Promise<T>,
): Promise<T> {
  const restore = divertStdout();
  process.env["HOOKLINE_REPLAY"] = "1";
  try {
    const sides = await openSides(args, io, place);
    try {
      return await work(sides);
    } finally {
      await sides.close();
    }
  } finally {
    delete process.env["HOOKLINE_REPLAY"];
    restore();
  }
}

/** Loads a folder's hooks once, and prepares how each side is opened. Throws if a named hook does not exist. */
async function openSides(args: Arguments, io: Io, place: Place): Promise<Sides> {
  // A replay is about the past, so its decisions are not sent to a fleet.
  const runtime = runtimeOf({ ...place, fleet: undefined }, { ...io, env: { ...io.env, HOOKLINE_REPLAY: "1" } });
  const { with: added = [], without = [], only = [], observers = [] } = args.lists;
  const scratch = args.flags["scratch"] === true ? mkdtempSync(join(tmpdir(), "hookline-scratch-")) : undefined;
  const modules = await lendingOf(place, runtime, io);
  const names = (ids: readonly string[]) => matcherOf(ids, place);
  const [isLeftOut, isWanted, isObserver] = [names(without), names(only), names(observers)];
  const settings = dialectSettings(place.settings);
  const open = (explicit: readonly string[], keeps: (hook: Hook) => boolean, tried = settings) => {
    return (parts: Parameters<OpenSide>[0]): Promise<HookSession> => {
      let isLoaded = false;
      const scene = Object.create(parts.scene, {
        // Hooks are found in the project's folder, even if they run in another one afterwards.
        cwd: { get: () => (isLoaded && scratch !== undefined ? scratch : place.cwd), enumerable: true },
      });
      const opened = runtime.open({
        // Diagnostics are not shown here, because the session's report has them.
        onDiagnostic: () => {},
        scene,
        services: parts.services,
        explicit,
        proves: false,
        settings: tried,
        admits: (lane, hook) => keeps(hook) && parts.admits(lane, hook),
        // Only with a trace do outcomes report every hook, including those that answered nothing.
        ...(args.flags["show"] !== undefined && { trace: { write: () => {} } }),
        ...(place.consent instanceof FrozenConsent && { expected: place.consent.expected }),
      });
      return opened.finally(() => (isLoaded = true));
    };
  };
  const paths = added.map((path) => resolve(io.cwd, expandPath(path)));
  const tried = inForce(settings, only.length > 0 ? "all" : paths, place);
  const candidate = open(
    [...args.extensions, ...paths],
    (hook) => !isLeftOut(hook) && (only.length === 0 || isWanted(hook)),
    tried,
  );
  const hasChange = added.length + without.length + only.length > 0;
  const close = async (): Promise<void> => {
    await runtime.close();
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  };
  try {
    const all = await open(
      [...args.extensions, ...paths],
      () => true,
      tried,
    )({
      scene: { sessionId: "replay", cwd: place.cwd },
      services: { modules },
      admits: () => true,
    });
    const notes = checked(all, { added: paths, without, only, observers }, place);
    await all.close();
    return {
      runtime,
      candidate,
      current: hasChange ? open(args.extensions, () => true) : undefined,
      services: { modules },
      cwd: scratch ?? place.cwd,
      isObserver,
      notes,
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Returns the settings without shadow for the hooks of these files: a person may try a hook that is in shadow. */
function inForce(settings: DialectSettings, paths: readonly string[] | "all", place: Place): DialectSettings {
  const isLeft = (name: string): boolean => paths !== "all" && !paths.includes(pathIn(meantBy(name, place)));
  const { shadow = [], project } = settings;
  return {
    ...settings,
    shadow: shadow.filter(isLeft),
    ...(project !== undefined && { project: { ...project, shadow: (project.shadow ?? []).filter(isLeft) } }),
  };
}

/** Returns a function that tells whether a hook is in a list of ids, file paths or `path#event`. */
function matcherOf(ids: readonly string[], place: Place): (hook: Hook) => boolean {
  const named = new Set(ids.flatMap((id) => [id, resolve(place.cwd, expandPath(id))]));
  return ({ id, path, event }) => named.has(id) || named.has(path) || named.has(`${path}#${event}`);
}

interface Named {
  readonly added: readonly string[];
  readonly without: readonly string[];
  readonly only: readonly string[];
  readonly observers: readonly string[];
}

/** Checks that every named hook exists, otherwise throws; returns notes about other hooks that do not run. */
function checked(all: HookSession, { added, ...lists }: Named, place: Place): string[] {
  const hooks = all.hooks().map(({ hook }) => hook);
  const { sources } = all.report;
  for (const path of added) {
    const loaded = sources.find((source) => source.path === path);
    if (loaded?.state === "runs") continue;
    const why = loaded?.reason ?? "it is not a module with hooks";
    throw wrongUse(
      `--with ${path}`,
      `cannot be loaded: ${why}`,
      "Put a hook that is not a module into its dialect's folder, and leave out the flag.",
    );
  }
  for (const [flag, ids] of Object.entries(lists)) {
    for (const id of ids as readonly string[]) {
      if (hooks.some(matcherOf([id], place))) continue;
      const known = hooks.map((hook) => hook.id);
      throw wrongUse(`--${flag}`, `names "${id}", which is not a hook that runs here`, chooseFrom(id, known));
    }
  }
  const idle = sources.filter(({ state }) => state !== "runs" && state !== "disabled");
  const shadowed = sources.flatMap(({ path, shadow, shadowHooks = [] }) => (shadow === true ? [path] : shadowHooks));
  return [
    ...[...new Set(shadowed)].map((name) => `${name} is in shadow: its answers do not count. --only tries it.`),
    // Several hooks of one file often do not run for the same reason, which is shown once.
    ...new Set(
      idle.map(
        (one) =>
          `${shortPath(one.path, place)} does not run: ${(one.reason ?? one.state).replace(/^.+? is not run: /, "")}.`,
      ),
    ),
    ...all
      .missing()
      .map(({ expected, cause }) => `${expected.name} must run and does not (${cause}): guarded calls are refused.`),
  ];
}
