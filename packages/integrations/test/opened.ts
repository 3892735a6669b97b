import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Diagnostic } from "../../ground/src/error/diagnostic.ts";
import type { Clock } from "../../ground/src/time/clock.ts";
import { approveEverything } from "../../runtime/src/consent/consent.ts";
import type { Dialect } from "../../runtime/src/dialect/dialect.ts";
import { createHookRuntime, type HookRuntime, type RuntimeOptions } from "../../runtime/src/session/runtime.ts";
import type { HookSession } from "../../runtime/src/session/session.ts";
import type { SessionOptions } from "../../runtime/src/session/session-parts.ts";

/** Options of a test; folders are the kit's own. */
export interface Setting {
  readonly services?: SessionOptions["services"];
  readonly settings?: SessionOptions["settings"];
  readonly explicit?: readonly string[];
  readonly scene?: Partial<SessionOptions["scene"]>;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly consent?: RuntimeOptions["consent"];
  readonly trace?: SessionOptions["trace"];
  /** A folder of the kit's, in the place of `/etc`. */
  readonly etc?: string;
}

export interface Opened extends AsyncDisposable {
  readonly runtime: HookRuntime;
  readonly session: HookSession;
  /** Everything reported, load errors included. */
  readonly diagnostics: readonly Diagnostic[];
  readonly root: string;
  codes(): readonly string[];
}

export function writeTree(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A session of one dialect over files, by their paths below a fresh folder with `project/` (the cwd) and `home/`. */
export async function openSession(
  dialect: Dialect,
  files: Readonly<Record<string, string>>,
  setting: Setting,
): Promise<Opened> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-modules-")));
  mkdirSync(join(root, "project"));
  writeTree(root, files);
  const diagnostics: Diagnostic[] = [];
  const runtime = createHookRuntime({
    dialects: [dialect],
    consent: setting.consent ?? approveEverything,
    env: setting.env ?? {},
    home: join(root, "home"),
    hooklineHome: join(root, "home", ".hookline"),
    etc: join(root, setting.etc ?? "etc"),
    ...(setting.clock && { clock: setting.clock }),
  });
  const session = await runtime.open({
    scene: { sessionId: "s1", cwd: join(root, "project"), ...setting.scene },
    ...(setting.services && { services: setting.services }),
    ...(setting.settings && { settings: setting.settings }),
    ...(setting.explicit && { explicit: setting.explicit }),
    ...(setting.trace && { trace: setting.trace }),
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
