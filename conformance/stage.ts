import { createRuntime, type Runtime } from "@hookline/runtime";
import type { Dialect } from "@hookline/runtime/dialect";
import { NO_HOME } from "../scripts/no-home.ts";
import type { Case, CaseHook } from "./case.ts";
import { CaseClock } from "./clock.ts";
import { type Fields, fromData, toData } from "./data.ts";

/** The lane of a hook. */
export function laneOf(one: Case, hook: CaseHook): string {
  return hook.lane ?? one.dialect;
}

/** The index of a hook in its case, by its id; nothing for what is no hook, such as a lane. */
export function indexOf(hookId: string): string | undefined {
  return /\/case\/[^/]+\/(\d+)#/.exec(hookId)?.[1];
}

type Load = Dialect["load"];
type Instance = Parameters<Load>[1];

/** The hooks of one case, and what they were asked. */
export class Stage {
  readonly clock = new CaseClock();
  readonly asked: number[] = [];
  readonly saw: unknown[] = [];
  readonly #one: Case;
  readonly #calls = new Map<CaseHook, number>();

  constructor(one: Case) {
    this.#one = one;
  }

  /** The sources of the hooks that are in shadow. */
  get shadow(): readonly string[] {
    return this.#one.hooks.flatMap((hook, index) => (hook.shadow ? [`/case/${laneOf(this.#one, hook)}/${index}`] : []));
  }

  /** Those of the dialects that the case has hooks for. */
  played(dialects: readonly Dialect[]): Dialect[] {
    const lanes = new Set(this.#one.hooks.map((hook) => laneOf(this.#one, hook)));
    return dialects.filter((dialect) => dialect.lanes.some(({ id }) => lanes.has(id)));
  }

  /** A runtime with the case's hooks, at the case's clock and without a home. */
  runtime(dialects: readonly Dialect[]): Runtime {
    return createRuntime({
      dialects: this.played(dialects).map((dialect) => this.#play(dialect)),
      clock: this.clock,
      home: NO_HOME,
      hooklineHome: `${NO_HOME}/.hookline`,
      env: {},
    });
  }

  /** The dialect with the case's hooks in place of what its loader would find. */
  #play(dialect: Dialect): Dialect {
    const own = this.#one.hooks.flatMap((hook, index) => {
      const lane = laneOf(this.#one, hook);
      return hook.by === undefined && dialect.lanes.some(({ id }) => id === lane) ? [{ hook, index, lane }] : [];
    });
    return {
      ...dialect,
      discover: () => ({
        searched: [],
        diagnostics: [],
        candidates: own.map(({ hook, index, lane }) => ({
          lane,
          source: { path: `/case/${lane}/${index}`, tier: "user", dialect: dialect.id },
          state: "runs",
          files: [],
          definition: { hook, index },
        })),
      }),
      load: ({ definition }, instance) => {
        const { hook, index } = definition as { readonly hook: CaseHook; readonly index: number };
        this.#register(hook, index, instance);
      },
    };
  }

  #register(hook: CaseHook, index: number, instance: Instance): void {
    instance.on({
      event: hook.event,
      ...(hook.retry !== undefined && { retry: hook.retry }),
      ...(hook.onError !== undefined && { onError: hook.onError }),
      ...(hook.timeoutMs !== undefined && { timeoutMs: hook.timeoutMs }),
      run: (event: Record<string, unknown>) => this.#ask(hook, index, event, instance),
    });
  }

  #ask(hook: CaseHook, index: number, event: Record<string, unknown>, instance: Instance): unknown {
    const call = this.#calls.get(hook) ?? 0;
    this.#calls.set(hook, call + 1);
    this.asked.push(index);
    this.saw.push(toData(event));
    if (call === 0)
      for (const [at, other] of this.#one.hooks.entries()) if (other.by === index) this.#register(other, at, instance);
    for (const [path, value] of Object.entries(hook.edit ?? {})) {
      at(event, path, (holder, key) => {
        holder[key] = fromData(value);
      });
    }
    for (const [path, value] of Object.entries(hook.push ?? {}))
      at(event, path, (holder, key) => void (holder[key] as unknown[]).push(fromData(value)));
    if (hook.hangs) return new Promise(() => {});
    if (hook.takesMs !== undefined) return this.clock.wait(hook.takesMs).then(() => answerOf(hook, call));
    return hook.async ? Promise.resolve().then(() => answerOf(hook, call)) : answerOf(hook, call);
  }
}

function answerOf(hook: CaseHook, call: number): unknown {
  if (hook.fails !== undefined) throw failing(hook.fails);
  if (Object.hasOwn(hook, "throws"))
    throw typeof hook.throws === "string" ? new Error(hook.throws) : fromData(hook.throws);
  return fromData(hook.answers === undefined ? hook.answer : hook.answers[Math.min(call, hook.answers.length - 1)]);
}

/** What a transport throws to say why there is no answer. */
function failing({ cause, message }: NonNullable<CaseHook["fails"]>): Error {
  const error = Object.assign(new Error(message), { reason: cause, code: undefined });
  return Object.defineProperty(error, Symbol.for("hookline.failure"), { value: true });
}

function at(event: Fields, path: string, change: (holder: Record<string, unknown>, key: string) => void): void {
  const keys = path.split(".");
  let holder = event as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  change(holder, keys.at(-1) as string);
}
