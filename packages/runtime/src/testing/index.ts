import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EventName, Folded, Payload } from "../catalog/catalog.ts";
import { trustEverything } from "../config/consent.ts";
import type { LoadReport } from "../config/report.ts";
import type { Dialect, DialectSettings } from "../dialect/dialect.ts";
import type { Scene } from "../hook/lane.ts";
import { createRuntime } from "../host/runtime.ts";
import type { HostServices } from "../port/host.ts";
import type { Outcome } from "../run/outcome.ts";

/** What a hook is tested in. */
export interface HookTestOptions {
  /** The dialects to load; import them from `@hookline/runtime/dialects`. */
  readonly dialects: readonly Dialect[];
  /** Hook or extension modules, as if named with `-e`. */
  readonly files?: readonly string[];
  /** A project folder whose hooks are loaded as approved. Default: an empty one. */
  readonly project?: string;
  /** What the session looks like to the hooks. */
  readonly scene?: Partial<Scene>;
  /** Stands in for the agent: dialogs, tools, messages. */
  readonly services?: HostServices;
  readonly settings?: DialectSettings;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Loaded hooks that can be asked, without an agent. */
export interface HookTest {
  /** What was found, what runs and what does not. */
  readonly report: LoadReport;
  /** Asks about an event in the dialect's own shape; the answer is the dialect's own. */
  fire(lane: string, event: string, payload: object): Promise<Outcome>;
  /** Asks every dialect about one of hookline's own events. */
  emit<E extends EventName>(event: E, payload: Payload<E>): Promise<Outcome<Folded<E>>>;
  /** Ends what was started and removes what was made. */
  close(): Promise<void>;
}

/**
 * Loads hooks the way an agent does, over the real transports, in an empty home of its own.
 * Throws when nothing of what was named could be loaded, with the reasons.
 */
export async function testHooks(options: HookTestOptions): Promise<HookTest> {
  const home = mkdtempSync(join(tmpdir(), "hookline-hooks-"));
  const cwd = resolve(options.project ?? home);
  const runtime = createRuntime({
    dialects: options.dialects,
    consent: trustEverything,
    home,
    hooklineHome: join(home, ".hookline"),
    env: options.env ?? { PATH: process.env["PATH"], HOME: home },
  });
  const session = await runtime.open({
    scene: {
      sessionId: "test",
      cwd,
      messages: () => [],
      systemPrompt: () => "",
      context: "default",
      summary: "",
      todos: "",
      goals: "",
      recursionDepth: 0,
      ...options.scene,
    },
    services: options.services ?? {},
    explicit: (options.files ?? []).map((file) => resolve(file)),
    settings: options.settings ?? {},
  });
  const close = async (): Promise<void> => {
    await runtime.close();
    rmSync(home, { recursive: true, force: true });
  };
  if (session.report.summary.runs === 0) {
    const reasons = session.report.sources.map((source) => `${source.path}: ${source.reason ?? source.state}`);
    await close();
    throw new Error(
      `No hook was loaded. ${reasons.length > 0 ? reasons.join("; ") : `Looked in ${session.report.searched.join(", ")}`}`,
    );
  }
  return {
    get report() {
      return session.report;
    },
    fire: (lane, event, payload) => session.fire(lane, event, payload),
    emit: async (event, payload) => session.emit(event, payload),
    close,
  };
}
