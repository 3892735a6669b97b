import { deepStrictEqual } from "node:assert/strict";
import { catalog, createRuntime, type Dialect, type Scene } from "@hookline/runtime";

/** What one hook of a case does when it is asked; everything is data, so that other runtimes can read it. */
export interface CaseHook {
  /** The lane, where the dialect has several. Default: the dialect's id. */
  readonly lane?: string;
  /** The event in the dialect's own spelling. */
  readonly event: string;
  /** The raw answer: a value, or the answers of successive calls. */
  readonly answer?: unknown;
  readonly answers?: readonly unknown[];
  /** Changes the event in place first: path in dots → value. */
  readonly edit?: Readonly<Record<string, unknown>>;
  /** Adds a value to a list of the event in place: path → value. */
  readonly push?: Readonly<Record<string, unknown>>;
  /** Throws an Error with this message, or any other value. */
  readonly throws?: unknown;
  /** Fails as a process can: the cause and its message. */
  readonly fails?: { readonly cause: "timeout" | "exited" | "bad" | "engine"; readonly message: string };
  /** Milliseconds of the case's own clock that pass while it runs. */
  readonly takesMs?: number;
  /** Never answers. */
  readonly hangs?: true;
  readonly retry?: number;
  readonly onError?: "skip" | "abort";
  readonly timeoutMs?: number;
  /** Answers with a promise. */
  readonly async?: true;
}

/** One case: hooks, one event of the host, and what must come of it. Only what `expect` names is compared. */
export interface Case {
  readonly id: string;
  /** Requirement ids. */
  readonly cites: readonly string[];
  readonly dialect: string;
  /** The catalog event that the host emits. */
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly scene?: Readonly<Record<string, unknown>>;
  readonly hooks: readonly CaseHook[];
  readonly expect: {
    /** The folded answer that the host gets, whole. */
    readonly answer?: unknown;
    /** The event that each asked hook saw, in order of asking; fields that are not named are not compared. */
    readonly saw?: readonly unknown[];
    /** Which hooks were asked, by index, in order. */
    readonly asked?: readonly number[];
    /** Codes that must be among the diagnostics. */
    readonly diagnostics?: readonly string[];
    /** Fields that count as edited, in order. */
    readonly edited?: readonly string[];
    /** How often each hook was started, by index. */
    readonly runs?: readonly number[];
  };
}

/** Runs one case against a dialect's tables; `undefined` when it holds, else what differs. */
export async function runCase(one: Case, dialect: Dialect): Promise<string | undefined> {
  const asked: number[] = [];
  const saw: unknown[] = [];
  let skipped = 0;
  const clock = { now: () => performance.now() + skipped, wall: () => Date.now(), timer };
  const tables: Dialect = {
    ...dialect,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: [...new Set(one.hooks.map((hook) => hook.lane ?? dialect.id))].map((lane) => ({
        lane,
        source: { path: `/case/${lane}`, tier: "user" as const, dialect: dialect.id },
        state: "runs" as const,
        files: [],
        definition: lane,
      })),
    }),
    load: (candidate, instance) => {
      one.hooks.forEach((hook, index) => {
        if ((hook.lane ?? dialect.id) !== candidate.definition) return;
        let call = 0;
        instance.on({
          event: hook.event,
          ...(hook.retry !== undefined && { retry: hook.retry }),
          ...(hook.onError !== undefined && { onError: hook.onError }),
          ...(hook.timeoutMs !== undefined && { timeoutMs: hook.timeoutMs }),
          run: (event: Record<string, unknown>) => {
            asked.push(index);
            saw.push(plain(event));
            skipped += hook.takesMs ?? 0;
            for (const [path, value] of Object.entries(hook.edit ?? {}))
              at(event, path, (holder, key) => void (holder[key] = value));
            for (const [path, value] of Object.entries(hook.push ?? {}))
              at(event, path, (holder, key) => void (holder[key] as unknown[]).push(value));
            if (hook.hangs) return new Promise(() => {});
            const answer = (): unknown => {
              if (hook.fails !== undefined) throw failing(hook.fails);
              if ("throws" in hook) throw typeof hook.throws === "string" ? new Error(hook.throws) : hook.throws;
              return hook.answers === undefined ? hook.answer : hook.answers[Math.min(call++, hook.answers.length - 1)];
            };
            return hook.async ? Promise.resolve().then(answer) : answer();
          },
        });
      });
    },
  };
  const runtime = createRuntime({ dialects: [tables], clock, home: "/nowhere" });
  const scene: Scene = { sessionId: "session", cwd: "/project", messages: () => [], ...one.scene };
  const session = await runtime.open({ scene });
  try {
    const unknown = one.hooks.find(
      (hook) => !dialect.lanes.some((lane) => lane.rows.some((row) => row.name === hook.event)),
    );
    if (unknown !== undefined) return `the dialect has no event "${unknown.event}"`;
    if (!catalog.has(one.event)) return `the catalog has no event "${one.event}"`;
    const outcome = await session.emit(one.event as never, one.payload as never);
    const { expect } = one;
    const hooks = session.hooks().filter(({ lane }) => lane !== "library");
    compare("answer", expect.answer, plain(outcome.answer), "answer" in expect);
    compare("asked", expect.asked, asked, expect.asked !== undefined);
    for (const [i, part] of (expect.saw ?? []).entries()) compare(`saw ${i}`, part, subset(saw[i], part), true);
    if (expect.saw !== undefined && saw.length !== expect.saw.length)
      return `saw: ${saw.length} hooks were asked, not ${expect.saw.length}`;
    for (const code of expect.diagnostics ?? []) {
      if (!outcome.diagnostics.some((diagnostic) => diagnostic.code === code))
        return `diagnostics: no ${code} among ${outcome.diagnostics.map((d) => d.code).join(", ")}`;
    }
    compare(
      "edited",
      expect.edited,
      outcome.edits.map((edit) => edit.field),
      expect.edited !== undefined,
    );
    compare(
      "runs",
      expect.runs,
      hooks.map(({ hook }) => hook.metrics.runs),
      expect.runs !== undefined,
    );
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  } finally {
    await runtime.close();
  }
}

function timer(ms: number, fire: () => void) {
  // A case's deadline is reached at once: nothing in a case takes real time.
  const handle = setTimeout(fire, Math.min(ms, 5));
  return { cancel: () => clearTimeout(handle), hold: () => {} };
}

function failing(fails: NonNullable<CaseHook["fails"]>): Error {
  const error = Object.assign(new Error(fails.message), { reason: fails.cause, code: undefined });
  Object.defineProperty(error, Symbol.for("hookline.failure"), { value: true });
  return error;
}

function at(
  event: Record<string, unknown>,
  path: string,
  change: (holder: Record<string, unknown>, key: string) => void,
): void {
  const keys = path.split(".");
  let holder = event;
  for (const key of keys.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  change(holder, keys.at(-1) as string);
}

function compare(what: string, wanted: unknown, got: unknown, asked: boolean): void {
  if (!asked) return;
  try {
    deepStrictEqual(plain(got), plain(wanted));
  } catch {
    throw new Error(`${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
  }
}

/** The parts of a value that a pattern names. */
function subset(value: unknown, pattern: unknown): unknown {
  if (typeof pattern !== "object" || pattern === null || Array.isArray(pattern)) return value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(pattern).map((key) => [
      key,
      subset((value as Record<string, unknown>)[key], (pattern as Record<string, unknown>)[key]),
    ]),
  );
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
