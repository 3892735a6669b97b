import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { trustEverything } from "../../../src/config/consent.ts";
import type { Dialect } from "../../../src/dialect/dialect.ts";
import { callFactory } from "../../../src/dialect/inprocess/load.ts";
import type { Owner } from "../../../src/dialect/inprocess/owner.ts";
import { hookActions, hookApi } from "../../../src/dialect/omp/api.ts";
import { createBuilders } from "../../../src/dialect/omp/builders.ts";
import { extensionApi } from "../../../src/dialect/omp/extension-api.ts";
import { omp } from "../../../src/dialect/omp/index.ts";
import type { Diagnostic } from "../../../src/error/diagnostic.ts";
import { createRuntime, type Runtime, type RuntimeOptions } from "../../../src/host/runtime.ts";
import type { Session } from "../../../src/host/session.ts";
import type { SessionOptions } from "../../../src/host/session-parts.ts";
import type { Clock } from "../../../src/port/clock.ts";

/** What a test may set; folders are the kit's own. */
export interface Setting {
  readonly services?: SessionOptions["services"];
  readonly settings?: SessionOptions["settings"];
  readonly explicit?: readonly string[];
  readonly scene?: Partial<SessionOptions["scene"]>;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly consent?: RuntimeOptions["consent"];
}

export interface Opened extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly session: Session;
  /** Everything reported, load errors included. */
  readonly diagnostics: readonly Diagnostic[];
  readonly root: string;
  codes(): readonly string[];
}

export type Factory = (pi: any) => unknown;
export type Handler = (event: any, ctx: any) => unknown;

const apis = { hook: "omp-hooks", extension: "omp" } as const;
type Given = readonly [api: keyof typeof apis, factory: Factory];

/** A session whose modules are the given functions, in load order: `/hook/1.ts`, `/extension/2.ts` and so on. */
export function openModules(given: readonly Given[], setting: Setting = {}): Promise<Opened> {
  const inMemory: Dialect = {
    ...omp,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: given.map(([api, factory], i) => ({
        lane: apis[api],
        source: { path: `/${api}/${i + 1}.ts`, tier: "user", dialect: "omp", api },
        state: "runs",
        files: [],
        definition: factory,
      })),
    }),
    async load(candidate, instance, around) {
      const owner: Owner = { around, instance, name: "pi", bound: false };
      const api = candidate.source.api as keyof typeof apis;
      const texts = { failed: (problem: string) => `Failed to load ${api}: ${problem}`, noFactory: String };
      const builders = await createBuilders(owner, [], async () => ({}));
      const made = {
        hook: () => hookApi(hookActions(owner), builders),
        extension: () => extensionApi(owner, builders),
      };
      await callFactory(candidate.definition as Factory, owner, texts, made[api]());
    },
  };
  return open(inMemory, {}, setting);
}

/** Hooks of the HookAPI, as functions. */
export function openHooks(factories: readonly Factory[], setting: Setting = {}): Promise<Opened> {
  return openModules(
    factories.map((factory) => ["hook", factory]),
    setting,
  );
}

/** Extensions of the ExtensionAPI, as functions. */
export function openExtensions(factories: readonly Factory[], setting: Setting = {}): Promise<Opened> {
  return openModules(
    factories.map((factory) => ["extension", factory]),
    setting,
  );
}

/** A factory that registers these handlers of one event. */
export function on(event: string, ...handlers: readonly Handler[]): Factory {
  return (pi) => {
    for (const handler of handlers) pi.on(event, handler);
  };
}

/** A session over real files, by their paths below a fresh folder with `project/` (the cwd) and `home/`. */
export function openFiles(files: Readonly<Record<string, string>>, setting: Setting = {}): Promise<Opened> {
  return open(omp, files, setting);
}

export function writeTree(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

async function open(dialect: Dialect, files: Readonly<Record<string, string>>, setting: Setting): Promise<Opened> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-omp-")));
  mkdirSync(join(root, "project"));
  writeTree(root, files);
  const diagnostics: Diagnostic[] = [];
  const runtime = createRuntime({
    dialects: [dialect],
    consent: setting.consent ?? trustEverything,
    env: setting.env ?? {},
    home: join(root, "home"),
    hooklineHome: join(root, "home", ".hookline"),
    ...(setting.clock && { clock: setting.clock }),
  });
  const session = await runtime.open({
    scene: { sessionId: "s1", cwd: join(root, "project"), ...setting.scene },
    ...(setting.services && { services: setting.services }),
    ...(setting.settings && { settings: setting.settings }),
    ...(setting.explicit && { explicit: setting.explicit }),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  return {
    runtime,
    session,
    diagnostics,
    root,
    codes: () => diagnostics.map(({ code }) => code),
    async [Symbol.asyncDispose]() {
      await runtime.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Time that passes only when it is told to. */
export class TestClock implements Clock {
  #now = 0;
  #timers = new Set<{ readonly at: number; fire(): void }>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return 1_700_000_000_000 + this.#now;
  }

  timer(ms: number, fire: () => void): { cancel(): void; hold(on: boolean): void } {
    const timer = { at: this.#now + ms, fire };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer), hold: () => {} };
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.fire();
    }
  }
}

/** Lets everything run that only waits for promises. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

export const text = (value: string) => ({ type: "text" as const, text: value });
export const user = (content: string) => ({ role: "user" as const, content, timestamp: 1 });

/** A call of a tool, before it runs. */
export const call = (tool: string, args: Readonly<Record<string, unknown>>) => ({ toolCallId: "c1", tool, args });

/** A tool call that has run. */
export const ran = (output: string, more: { readonly isError?: boolean; readonly details?: unknown } = {}) => ({
  ...call("read", { path: "a.txt" }),
  content: [text(output)],
  details: more.details,
  isError: more.isError ?? false,
  blocked: false,
});
