import { join } from "node:path";
import type { BridgeHost } from "@hookline/bridge";
import { configuredServers, pausedUntil, realOf } from "@hookline/bridge";
import { BridgeSession, type Looked, Looking, type OpenParts } from "@hookline/bridge/daemon";
import { messageOf } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { systemFiles } from "@hookline/ground/system";
import { MOVING } from "@hookline/integrations/hosts";
import { type Diagnostic, HooklineError, type Scene } from "@hookline/runtime";
import type { Dialect, LeftOut } from "@hookline/runtime/engine";
import {
  expectedBySettings,
  FrozenConsent,
  type HookRuntime,
  type HookSession,
  lockPath,
  STAND_IN_LANE,
} from "@hookline/runtime/session";
import { execIn } from "../hook/exec.ts";
import { dialectSettings, loopSettings } from "../settings/parts.ts";
import { Admission } from "../start/admit.ts";
import { readArguments } from "../start/args.ts";
import { fleetLock } from "../start/fleet.ts";
import { lendingOf } from "../start/lending.ts";
import { proofLine, runningLine } from "../start/lines.ts";
import { type Place, placeOf, runtimeOf } from "../start/place.ts";
import { askProjectTrust, DecidedConsent } from "../start/project-trust.ts";
import { recordingOf } from "../start/recording.ts";
import { protectionOf } from "./protection.ts";

/**
 * Opens hookline's hook session for a session in another agent, such as Codex. Finds, approves and orders the hooks of
 * the session's folder as in print mode (`hookline -p`), except those that the other agent itself runs.
 */
export async function openSession(parts: OpenParts): Promise<BridgeSession> {
  const { host, id, cwd, env } = parts;
  const looking = new Looking(MOVING);
  const io = ioOf(parts);
  const found = await placeIn(io);
  const place = {
    ...found,
    dialects: found.dialects.map((dialect) => (dialect.id === host.dialect ? withoutNative(dialect) : dialect)),
  };
  const runtime = runtimeOf(place, io, { files: looking.over(systemFiles) });
  const told: string[] = [];
  const presence = { isAttended: () => false };
  const tell = (text: string): void => void told.push(text);
  const scene: Scene & { model?: string } = { sessionId: id, cwd, ...NOTHING_TOLD };
  const recording = await recordingOf(NO_WORDS, io, place, {
    host: host.name,
    sessionFile: () => scene.sessionFile,
    tell,
  });
  const lock = place.consent instanceof FrozenConsent ? place.consent : undefined;
  const consent = new DecidedConsent(place.consent);
  const close = async (): Promise<void> => {
    await runtime.close();
    await recording.close();
  };
  const servers = () => configuredServers(host, { cwd, home: place.home, env });
  const reader = { cwd, home: place.home, more: `\`hookline bridge status ${host.name}\`` };
  const failed = new Set<string>();
  const problem = (diagnostic: Diagnostic): void => {
    parts.log(diagnostic.message);
    const { code, failure, hook = "" } = diagnostic;
    if (code !== "RULE_PASSED" && code !== "GUARD_CASE_CLAIMED") {
      if (failure === undefined || failed.has(hook)) return;
      failed.add(hook);
    }
    told.push(runningLine(diagnostic, reader) ?? diagnostic.message);
  };
  for (const diagnostic of place.settings.diagnostics) problem(diagnostic);
  try {
    const hooks = await runtime.open({
      scene,
      recorder: recording.recorder,
      services: {
        mode: "print",
        asks: () => presence.isAttended(),
        modules: await lendingOf(place, runtime, io),
        exec: execIn(runtime, cwd),
      },
      consent: lock ?? consent,
      ...(lock !== undefined && { expected: lock.expected }),
      settings: dialectSettings(place.settings),
      stats: true,
      ...(parts.trace !== undefined && { trace: parts.trace }),
      host: host.name,
      onDiagnostic: problem,
    });
    if (lock === undefined) await askProjectTrust({ place, hooks, consent, tell });
    await excuseLeftOut(found, host, hooks, io);
    const admission = new Admission({ place, hooks, tell, ...NOBODY });
    const refusal = await notAdmitted(() => admission.begin());
    told.push(...waiting(hooks));
    const shown = await tellLosses(parts, { place, runtime, hooks, told, servers });
    return new BridgeSession({
      hooks,
      scene,
      presence,
      told,
      shown,
      refusal,
      started: () => {
        void hooks.prove().then((proof) => {
          const line = proofLine(proof);
          if (line !== undefined) told.push(`hookline: ${line}`);
        });
        return notAdmitted(() => admission.started());
      },
      settings: loopSettings(place.settings, env),
      protection: protectionOf(host, place, hooks, env),
      servers,
      looked: lookedAt(looking, place, hooks, env),
      isManaged: isManaged(place),
      pausable: pausable(place),
      pausedUntil: () => pausedUntil(place.hooklineHome),
      close,
    });
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** An empty command line of hookline, because a host's session has none. */
const NO_WORDS = readArguments([]);

/** Determines the session's folders and settings. The user's `bridge.frozen` acts like the agent's `--frozen`. */
async function placeIn(io: Io): Promise<Place> {
  const place = await placeOf(NO_WORDS, io);
  if (place.settings.user.get("bridge.frozen") !== true) return place;
  return { ...place, consent: new FrozenConsent(place.cwd, systemFiles, place.home) };
}

/** Settings for deciding whether guards can work: no person is asked, and no hook that must run may be missing. */
const NOBODY = {
  ui: undefined,
  allowsBroken: false,
  leftOut: undefined,
  words: {
    what: "hookline refuses calls, because something that must run does not",
    remedy: "`hookline hooks` shows why. Fix or remove what it names, then start a new session.",
  },
} as const;

/** Fields of the scene that no host reports. */
const NOTHING_TOLD = { context: "default", summary: "", todos: "", goals: "", recursionDepth: 0 } as const;

function ioOf({ cwd, env, managed, log }: OpenParts): Io {
  return {
    env,
    cwd,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    out: log,
    err: log,
    readStdin: async () => "",
    ...(managed !== undefined && { managed }),
  };
}

/** Returns why this session's guards refuse every call: a hook that must run does not. Undefined if all run. */
async function notAdmitted(decide: () => Promise<void>): Promise<string | undefined> {
  try {
    await decide();
    return undefined;
  } catch (thrown) {
    return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : messageOf(thrown);
  }
}

/**
 * Returns the paths that decide about this session's hooks. While they are unchanged, `hookline bridge call` may rely
 * on what this session has recorded if it cannot reach the daemon. Returns undefined for a machine in a fleet, whose
 * server decides too: no file shows that.
 */
function lookedAt(looking: Looking, place: Place, hooks: HookSession, env: OpenParts["env"]): Looked | undefined {
  if (place.fleet !== undefined || fleetLock(place.settings) !== undefined) return undefined;
  const { cwd, home, hooklineHome, settings } = place;
  const own = [
    join(hooklineHome, "trust.json"),
    lockPath(cwd, looking.over(systemFiles), home),
    ...settings.files,
    ...hooks.reach.places,
  ];
  return looking.end(own, [home, cwd, hooklineHome], env);
}

/** Whether a fleet or the administrator's settings decide what is guarded. */
function isManaged({ fleet, settings }: Place): boolean {
  return fleet !== undefined || settings.isManaged;
}

/** Removes a dialect's hooks that the host itself finds and runs. */
function withoutNative(dialect: Dialect): Dialect {
  return {
    ...dialect,
    async discover(scan) {
      const found = await dialect.discover(scan);
      return { ...found, candidates: found.candidates.filter(({ onlyHere }) => onlyHere === true) };
    },
  };
}

/** Excuses required hooks that do not run here because the host itself runs them. */
async function excuseLeftOut(place: Place, { dialect: own }: BridgeHost, hooks: HookSession, io: Io): Promise<void> {
  const missing = hooks.missing();
  const left = place.dialects.filter(({ id }) => id === own);
  if (missing.length === 0 || left.length === 0) return;
  const runtime: HookRuntime = runtimeOf({ ...place, dialects: left }, io);
  try {
    const scene = { sessionId: "left-out", cwd: place.cwd };
    const { report } = await runtime.open({
      scene,
      settings: dialectSettings(place.settings),
      inert: true,
      onDiagnostic: () => {},
    });
    const paths = new Set(report.sources.flatMap(({ path, onlyHere }) => (onlyHere ? [] : [path])));
    for (const { expected } of missing) if (paths.has(expected.path)) hooks.excuse(expected.name);
  } finally {
    await runtime.close();
  }
}

interface LossParts {
  readonly place: Place;
  readonly runtime: HookRuntime;
  readonly hooks: HookSession;
  readonly told: string[];
  servers(): readonly string[];
}

/** Tells the person what hooks cannot do in this host, if that changed. The returned function records it as shown. */
async function tellLosses(
  { host, cwd, log }: OpenParts,
  { place, runtime, hooks, told, servers }: LossParts,
): Promise<() => void> {
  // `bridge report` knows no program that asks by itself.
  if (host.places.length === 0) return () => {};
  try {
    const { reportOf, ShownReport } = await import("@hookline/bridge/report");
    const report = await reportOf(host, runtime, { session: hooks, servers: servers() });
    const shown = new ShownReport(place.hooklineHome, host, cwd);
    const news = shown.news(report);
    if (news === undefined) return () => {};
    told.push(news);
    return () => shown.keep(report);
  } catch (thrown) {
    // If the report fails, guards must still be asked.
    log(`the loss report could not be made: ${messageOf(thrown)}`);
    return () => {};
  }
}

/** Counts the project's hooks that wait for approval, as a line for the person; empty if there are none. */
function waiting({ report }: HookSession): string[] {
  const pending = report.sources.filter(({ tier, state }) => tier === "project" && state === "untrusted");
  const { size } = new Set(pending.map(({ path }) => path));
  const what =
    size === 1 ? "1 project hook waits for approval and does" : `${size} project hooks wait for approval and do`;
  return size === 0 ? [] : [`hookline: ${what} not run: \`hookline trust\``];
}

/**
 * Returns the hooks that are not asked while guards are paused: those of the person and of projects, and the stand-ins
 * for hooks that only these require. Hooks that the administrator requires are asked, whoever wrote them (ruling 98).
 */
function pausable({ settings, cwd, home }: Pick<Place, "settings" | "cwd" | "home">): LeftOut {
  const { managed, user, project } = settings;
  const demanded = (by: { get(key: string): unknown }): string[] =>
    ["required", "failClosed"].flatMap((key) => (by.get(key) as readonly string[] | undefined) ?? []);
  const held = new Set(demanded(managed));
  const own = new Set(
    [...demanded(user), ...demanded(new Map(Object.entries(project)))].filter((name) => !held.has(name)),
  );
  const files = [...held].map((name) => /^[^:/]*:(.*)#[^#/]+\[\d+\]$/.exec(name)?.[1] ?? name);
  const paths = new Set(expectedBySettings({ required: files }, { cwd, home }).map(({ path }) => realOf(path)));
  return {
    because: "guards are paused",
    has({ source: { path, tier } }, lane) {
      if (lane === STAND_IN_LANE) return own.has(path);
      return tier !== "managed" && tier !== "builtin" && !paths.has(realOf(path));
    },
  };
}
