import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EventName, Folded, Payload } from "../catalog/catalog.ts";
import { trustEverything } from "../config/consent.ts";
import type { LoadReport } from "../config/report.ts";
import type { OwnSettings, SettingValue } from "../dialect/about.ts";
import type { Dialect, DialectSettings, Transports } from "../dialect/dialect.ts";
import { HooklineError } from "../error/error.ts";
import { guess } from "../error/nearest.ts";
import type { Lane, LaneRow, Scene } from "../hook/lane.ts";
import { createRuntime } from "../host/runtime.ts";
import type { HostServices } from "../port/host.ts";
import type { Explanation } from "../run/explain.ts";
import type { Outcome } from "../run/outcome.ts";
import { placeFiles } from "./place.ts";
import { type SampleOptions, sampleEvent, samplePayload } from "./sample.ts";

export { type SampleOptions, sampleEvent, samplePayload };

/** What a hook is tested in. */
export interface HookTestOptions {
  /** The dialects to load. Default: all of them. */
  readonly dialects?: readonly Dialect[];
  /**
   * Hook files of any dialect, told apart by what they are: `hooks.yaml` files and folders with a `HOOK.yaml`,
   * modules, and executables. `omp:PATH` and `pi:PATH` say a module's dialect outright.
   */
  readonly files?: readonly string[];
  /** A project folder whose hooks are loaded as approved. Default: an empty one. */
  readonly project?: string;
  /** What the session looks like to the hooks. */
  readonly scene?: Partial<Scene>;
  /** Stands in for the agent: dialogs, tools, messages, the model of LLM hooks. */
  readonly services?: HostServices;
  readonly settings?: DialectSettings;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ways to reach hooks in place of the real ones, such as an `http` that answers without a server. */
  readonly transports?: Partial<Transports>;
}

/** Loaded hooks that can be asked, without an agent. */
export interface HookTest {
  /** What was found, what runs and what does not. */
  readonly report: LoadReport;
  /** A plausible event of a lane in the dialect's own shape; `fields` take the place of its own. */
  sample(lane: string, event: string, fields?: object, options?: SampleOptions): object;
  /** Asks one lane about an event in the dialect's own shape; the answer is the dialect's own. Default: a sample. */
  fire(lane: string, event: string, payload?: object): Promise<Outcome>;
  /** Asks every dialect about one of hookline's own events. Default: a sample. */
  emit<E extends EventName>(event: E, payload?: Payload<E>): Promise<Outcome<Folded<E>>>;
  /** Which hooks would run for one of hookline's own events, and why the others would not. */
  explain(event: EventName, payload?: object): Explanation;
  /** Ends what was started and removes what was made. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Loads hooks the way an agent does, over the real transports, in an empty home of its own.
 * Throws when nothing of what was named could be loaded, with the reasons.
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
  const dialects = options.dialects ?? (await import("../dialect/index.ts")).dialects;
  const { explicit, own } = placeFiles(options.files ?? [], home, dialects);
  const { settings = {} } = options;
  const runtime = createRuntime({
    dialects,
    consent: trustEverything,
    home,
    hooklineHome: join(home, ".hookline"),
    env: options.env ?? { PATH: process.env["PATH"], HOME: home },
    ...(options.transports !== undefined && { transports: options.transports }),
  });
  const scene: Scene = { ...SCENE, cwd: resolve(options.project ?? home), ...options.scene };
  const session = await runtime.open({
    scene,
    services: options.services ?? {},
    explicit,
    settings: { ...settings, own: joined(settings.own ?? {}, own) },
    // With a trace the outcome tells of every hook, the silent ones included.
    trace: { write: () => {} },
  });
  const close = async (): Promise<void> => {
    await runtime.close();
    remove();
  };
  if (session.report.summary.runs === 0) {
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
    sample,
    fire: (lane, event, payload) => session.fire(lane, event, payload ?? sample(lane, event)),
    emit: async (event, payload) => session.emit(event, payload ?? samplePayload(event)),
    explain: (event, payload) => session.explain(event, payload ?? samplePayload(event)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Both dialects' settings; lists stand beside each other. */
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

/** One lane's row of an event. Throws for a lane or event that there is not, with the nearest name. */
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
