import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { guess, HooklineError } from "@hookline/ground";
import type { EventName, Folded, Payload } from "../catalog/catalog.ts";
import { isLoaded, type LoadReport } from "../config/report.ts";
import { approveEverything } from "../consent/consent.ts";
import type { OwnSettings, SettingValue } from "../dialect/about.ts";
import type { Dialect, DialectSettings, Transports } from "../dialect/dialect.ts";
import type { Lane, LaneRow, Scene } from "../hook/lane.ts";
import type { HostServices } from "../port/host.ts";
import type { Explanation } from "../run/explain.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Session } from "../session/face.ts";
import { createHookRuntime } from "../session/runtime.ts";
import { placeFiles } from "./place.ts";
import { type SampleOptions, sampleEvent, samplePayload } from "./sample.ts";

export { type SampleOptions, sampleEvent, samplePayload };

/** Options for a test of hooks: what to load, and with which services. */
export interface HookTestOptions {
  /** The dialects to load. Default: all. */
  readonly dialects?: readonly Dialect[];
  /**
   * Hook files of any dialect, which is recognised by the kind of file: `hooks.yaml` files and folders with a
   * `HOOK.yaml`, modules, and executables. A prefix sets a module's dialect: `omp:PATH`, `pi:PATH`.
   */
  readonly files?: readonly string[];
  /** A project folder whose hooks are loaded as approved, besides `files`. Default: no project's hooks are loaded. */
  readonly project?: string;
  /** The scene that the hooks see. */
  readonly scene?: Partial<Scene>;
  /** Services in place of the agent's: dialogs, tools, messages, the model of LLM hooks. */
  readonly services?: HostServices;
  readonly settings?: DialectSettings;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Transports that replace the real ones, such as an `http` that answers without a server. */
  readonly transports?: Partial<Transports>;
}

/** Loaded hooks that can be asked without an agent. */
export interface HookTest {
  /** The hooks that were found, and which of them run. */
  readonly report: LoadReport;
  /** Returns a plausible event of a lane in the dialect's own form; `fields` override its values. */
  sample(lane: string, event: string, fields?: object, options?: SampleOptions): object;
  /**
   * Asks one lane about an event in the dialect's own form; the outcome has that form too. Without `payload` the event
   * is a sample. Throws if the command of a hook does not exist.
   */
  fire(lane: string, event: string, payload?: object): Promise<Outcome>;
  /** Asks every dialect about one of hookline's own events, or without `payload` about a sample. Throws like `fire`. */
  emit<E extends EventName>(event: E, payload?: Payload<E>): Promise<Outcome<Folded<E>>>;
  /** Returns which hooks would run for one of hookline's own events, and why the others would not. */
  explain(event: EventName, payload?: object): Explanation;
  /** The session in which the hooks are loaded, for everything that this interface lacks. */
  readonly session: Session;
  /** Every lane, in the order of asking. */
  readonly lanes: readonly Lane[];
  readonly scene: Scene;
  /** Ends everything that was started and removes temporary files. */
  close(): Promise<void>;
  /** Closes the test, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Loads hooks as an agent does, with the real transports, in an empty home folder of its own. Throws with the reasons
 * if nothing that was named could be loaded.
 */
export async function testHooks(options: HookTestOptions): Promise<HookTest> {
  const home = mkdtempSync(join(tmpdir(), "hookline-hooks-"));
  const remove = (): void => rmSync(home, { recursive: true, force: true });
  try {
    return await open(options, home, remove);
  } catch (thrown) {
    remove();
    throw thrown;
  }
}

async function open(options: HookTestOptions, home: string, remove: () => void): Promise<HookTest> {
  const dialects = options.dialects ?? (await import("../dialects.ts")).formats;
  const { explicit, own } = placeFiles(options.files ?? [], home, dialects);
  const { settings = {} } = options;
  const runtime = createHookRuntime({
    dialects,
    consent: approveEverything,
    home,
    hooklineHome: join(home, ".hookline"),
    env: options.env ?? { PATH: process.env["PATH"], HOME: home },
    ...(options.transports !== undefined && { transports: options.transports }),
  });
  const scene: Scene = { ...SCENE, cwd: resolve(options.project ?? home), ...options.scene };
  const session = await runtime.open({
    // Problems are also in the report, so they are not printed.
    onDiagnostic: () => {},
    scene,
    // Hooks of the session's folder and of this machine are not part of the test.
    finds: ({ tier }) => tier === "user" || (tier === "project" && options.project !== undefined),
    services: options.services ?? {},
    explicit,
    proves: false,
    settings: { ...settings, own: joined(settings.own ?? {}, own) },
    // With a trace, the outcome lists every hook, including silent ones.
    trace: { write: () => {} },
  });
  const close = async (): Promise<void> => {
    await runtime.close();
    remove();
  };
  if (!session.report.sources.some(isLoaded)) {
    const reasons = session.report.sources.map((source) => `${source.path}: ${source.reason ?? source.state}`);
    await close();
    throw new Error(
      `No hook was loaded. ${reasons.length > 0 ? reasons.join("; ") : `Looked in ${session.report.searched.join(", ")}`}`,
    );
  }
  const sample: HookTest["sample"] = (lane, event, fields, about) => ({
    ...sampleEvent(rowOf(runtime.lanes, lane, event), scene, about),
    ...fields,
  });
  return {
    get report() {
      return session.report;
    },
    session,
    lanes: runtime.lanes,
    scene,
    sample,
    fire: async (lane, event, payload) =>
      withCommands(await session.fire(lane, event, payload ?? sample(lane, event)), scene.cwd),
    emit: async (event, payload) => withCommands(await session.emit(event, payload ?? samplePayload(event)), scene.cwd),
    explain: (event, payload) => session.explain(event, payload ?? samplePayload(event)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Merges the given settings and those that the placed files need; lists are concatenated. */
function joined(given: OwnSettings, placed: OwnSettings): OwnSettings {
  const own: Record<string, Record<string, SettingValue>> = {};
  for (const [id, settings] of [...Object.entries(given), ...Object.entries(placed)])
    for (const [name, value] of Object.entries(settings)) {
      const before = own[id]?.[name];
      own[id] = { ...own[id], [name]: Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value };
    }
  return own;
}

const SCENE: Omit<Scene, "cwd"> = {
  sessionId: "test",
  messages: () => [],
  systemPrompt: () => "",
  context: "default",
  summary: "",
  todos: "",
  goals: "",
  recursionDepth: 0,
};

/** Returns one lane's row of an event. Throws for an unknown lane or event and names the nearest one. */
export function rowOf(lanes: readonly Lane[], laneId: string, event: string): LaneRow {
  const lane = lanes.find(({ id }) => id === laneId);
  const row = lane?.rows.find(({ name }) => name === event);
  if (row !== undefined) return row;
  const names = (lane === undefined ? lanes : [lane]).flatMap(({ id, rows }) =>
    rows.map(({ name }) => `${id}:${name}`),
  );
  const wanted = `${laneId}:${event}`;
  throw new HooklineError("UNKNOWN_EVENT", { event: wanted, guess: guess(wanted, names) });
}

/** Matches the errors of shells and interpreters for a missing program or script. */
const GONE =
  /\b(?:not found|no such file or directory|cannot find module|module not found|can't open file|cannot open|ENOENT)\b/i;

/**
 * Returns the outcome, but throws if a hook failed because its program does not exist. Otherwise a guard that refuses
 * when it fails would pass a test that has tested nothing.
 */
function withCommands<T extends Pick<Outcome, "hooks">>(outcome: T, cwd: string): T {
  for (const { status, place, problem = "", stderr = "" } of outcome.hooks) {
    if (status !== "failed" || !(/exit code 12[67]\b/.test(problem) || GONE.test(`${problem}\n${stderr}`))) continue;
    const said = stderr.split("\n").find((line) => GONE.test(line)) ?? problem;
    throw new Error(
      `${place} could not run its command: ${said.trim()}. Commands run in ${cwd}; give their folder as \`project\`, or as \`scene.cwd\`.`,
    );
  }
  return outcome;
}
