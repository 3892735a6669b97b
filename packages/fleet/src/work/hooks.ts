import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import {
  catalog,
  createHookRuntime,
  type Diagnostic,
  dialects,
  type HookSession,
  type Outcome,
  type Surroundings,
} from "../kit.ts";
import type { Bundle } from "../policy/bundle.ts";
import { type Coverage, coverageOf, isAboutTool } from "../policy/coverage.ts";
import type { HookRule, May } from "../policy/manifest.ts";

type Fields = Readonly<Record<string, unknown>>;
type EmitOptions = NonNullable<Parameters<HookSession["emit"]>[2]>;
type LeftOut = NonNullable<EmitOptions["leftOut"]>;

/** A bundle's remote hooks, loaded. */
export interface BundleHooks {
  readonly coverage: readonly Coverage[];
  /** Asks all hooks of an event; throws for a payload that the event does not have. */
  ask(event: string, payload: Fields, signal: AbortSignal): Promise<Outcome>;
  /** Returns a hook's id without the folder that it was loaded from. */
  nameOf(hook: string): string;
  close(): Promise<void>;
}

/** A bundle's hooks that run in the agent, loaded for one of its sessions. */
export interface LocalHooks {
  /** The events that the hooks listen to, with the effects that their answers may have. */
  readonly events: ReadonlyMap<string, ReadonlySet<May>>;
  /** Whether one of the hooks refuses when it fails. */
  readonly isClosed: boolean;
  /** Asks all hooks of an event. */
  ask(event: string, payload: Fields, signal: AbortSignal): Outcome | Promise<Outcome>;
  nameOf(hook: string): string;
  /** Ends the hooks after those that run now have answered. */
  close(): Promise<void>;
}

/** Loads a bundle's remote hooks, for a worker. Throws if one of them does not run. */
export async function openHooks(
  { folder, manifest }: Bundle,
  report: (diagnostic: Diagnostic) => void,
): Promise<BundleHooks> {
  const rules = manifest.hooks.filter(({ where }) => where === "worker");
  const coverage = coverageOf(manifest);
  requireNeeds(coverage);
  const opened = await open({ folder, rules, report });
  return {
    ...opened,
    coverage,
    async ask(event, payload, signal) {
      const problem = payloadProblem(event, payload);
      if (problem !== undefined) throw new Error(problem);
      return opened.ask(event, payload, signal);
    },
  };
}

/** Loads a bundle's hooks for one session of an agent. Throws if one of them does not run. */
export async function openLocalHooks(
  { folder, manifest }: Bundle,
  around: Pick<Surroundings, "scene" | "services" | "scan">,
  report: (diagnostic: Diagnostic) => void,
): Promise<LocalHooks> {
  const rules = manifest.hooks.filter(({ where }) => where === "agent");
  const opened = await open({ folder, rules, report, around });
  const mayAt = (event: string): ReadonlySet<May> =>
    new Set(rules.filter((rule) => isAbout(rule, event)).flatMap(({ may }) => may));
  const heard = [...catalog.keys()].filter((event) => opened.session.listens(event as never));
  return {
    ...opened,
    events: new Map(heard.map((event) => [event, mayAt(event)])),
    isClosed: rules.some(({ onFailure }) => onFailure === "closed"),
  };
}

/** Whether a rule's hooks are asked about an event; without `events`, they are asked about all. */
function isAbout({ events }: HookRule, event: string): boolean {
  return events.length === 0 || events.includes(event);
}

/** Loads the hooks of these rules from a temporary copy, beside which they may write. Their home is an empty folder. */
async function open({
  folder,
  rules,
  report,
  around,
}: {
  readonly folder: string;
  readonly rules: readonly HookRule[];
  report(diagnostic: Diagnostic): void;
  readonly around?: Pick<Surroundings, "scene" | "services" | "scan">;
}) {
  const place = realpathSync.native(mkdtempSync(join(tmpdir(), "hookline-fleet-hooks-")));
  const [home, cwd, own] = ["home", "work", "hookline"].map((name) => join(place, name)) as [string, string, string];
  for (const made of [home, cwd]) mkdirSync(made);
  cpSync(folder, own, { recursive: true });
  const files = new Map(rules.map((rule) => [join(own, rule.file), rule]));
  const isOf = (path: string, file: string): boolean => path === file || path.startsWith(`${file}/`);
  const runtime = createHookRuntime({
    dialects,
    home,
    hooklineHome: own,
    etc: join(place, "etc"),
    ...(around !== undefined && { env: around.scan.env }),
  });
  const eventOf = (lane: string, name: string): string =>
    runtime.lanes.find(({ id }) => id === lane)?.rows.find((row) => row.name === name)?.of ?? name;
  /** Leaves out the hooks whose rule does not name the call's tool. */
  const besides = (payload: Fields): Pick<EmitOptions, "leftOut"> => {
    const passed = [...files].filter(([, { tools }]) => !isAboutTool(tools, payload)).map(([file]) => file);
    if (passed.length === 0) return {};
    const has: LeftOut["has"] = ({ source }) => passed.some((file) => isOf(source.path, file));
    return { leftOut: { because: "the fleet's manifest does not name this tool for it", has } };
  };
  const close = async (): Promise<void> => {
    await runtime.close();
    try {
      rmSync(place, { recursive: true, force: true });
    } catch {
      // A program that a hook started may still write here. The copy then stays until the system removes it.
    }
  };
  try {
    const closed = [...files].filter(([, { onFailure }]) => onFailure === "closed").map(([path]) => path);
    const session = await runtime.open({
      scene: around?.scene ?? { sessionId: "fleet", cwd },
      ...(around !== undefined && { services: around.services }),
      settings: { required: [...files.keys()], failClosed: closed },
      admits: (lane, hook) =>
        [...files].some(([file, rule]) => isOf(hook.source.path, file) && isAbout(rule, eventOf(lane, hook.event))),
      // In an agent, only problems of the bundle's own hooks are reported here; the agent's session reports the others.
      onDiagnostic: (one) => {
        if (around === undefined || one.source?.path.startsWith(own) === true) report(one);
      },
      // Makes each outcome list every hook that was asked; without a trace it leaves out those without an answer.
      trace: { write: () => {} },
    });
    requireAll(session);
    return {
      session,
      ask: (event: string, payload: Fields, signal: AbortSignal): Outcome | Promise<Outcome> =>
        session.emit(event as never, payload as never, { signal, ...besides(payload) }) as Outcome | Promise<Outcome>,
      nameOf: (hook: string) => hook.replaceAll(`${own}/`, ""),
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function requireAll(session: HookSession): void {
  const [missing] = session.missing();
  if (missing !== undefined) throw new Error(`${missing.expected.name} must run, but does not: ${missing.cause}`);
}

/** Throws if an event could never be asked about because one of its required fields does not leave the machine. */
function requireNeeds(coverage: readonly Coverage[]): void {
  for (const { event, needs, rules } of coverage) {
    const absent = requiredFields(event).find((field) => field !== "toolCallId" && !needs.has(field));
    if (absent !== undefined)
      throw new Error(`${rules[0]?.file} is about ${event}, so its \`needs\` must list "${absent}"`);
  }
}

/** Returns the fields that every payload of an event has. */
function requiredFields(event: string): readonly string[] {
  const schema = catalog.get(event)?.payload() as unknown as {
    readonly entries?: Readonly<Record<string, { type: string }>>;
  };
  return Object.entries(schema.entries ?? {}).flatMap(([name, { type }]) => (type === "optional" ? [] : [name]));
}

function payloadProblem(event: string, payload: Fields): string | undefined {
  const row = catalog.get(event);
  if (row === undefined) return `there is no event ${event}`;
  const read = v.safeParse(row.payload() as unknown as v.GenericSchema, payload, { abortEarly: true });
  return read.success ? undefined : `the payload's ${v.getDotPath(read.issues[0]) ?? "fields"} do not fit ${event}`;
}
