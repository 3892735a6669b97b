import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Outcome } from "@hookline/runtime";
import type { Dialect, ProcessTransport } from "@hookline/runtime/engine";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { keepWhole } from "../../packages/runtime/src/transport/process/output.ts";
import { NO_HOME } from "../../scripts/no-home.ts";
import type { Folder } from "./ground.ts";

/** A session with one hook, whose answer each trial decides. */
export interface Stage {
  /** Emits the event; `said` is the hook's answer, or what its program prints. */
  ask(said: unknown): Promise<Outcome>;
  close(): Promise<void>;
}

/** The event that each trial emits. */
export interface Moment {
  readonly event: string;
  readonly payload: object;
}

/** Opens a stage whose hook is a program of j-cli or chibi; `files` are its definition, in its own home folder. */
export async function programStage(
  home: Folder,
  { dialect, files }: { dialect: Dialect; files: Readonly<Record<string, string>> },
  { event, payload }: Moment,
): Promise<Stage> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(home.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  }
  let said: Uint8Array = new Uint8Array();
  const process: ProcessTransport = {
    async run({ command, label }) {
      const schema = "args" in command && command.args[0] === "--schema";
      const bytes = schema
        ? Buffer.from(files[label.replace(/^.*\.chibi/, ".chibi").replace(" --schema", "")] ?? "")
        : said;
      const whole = keepWhole(8 * 1024 * 1024);
      whole.push(bytes);
      const { text, valid } = whole.text();
      const rest = { stderr: "", survivors: [], queueMs: 0, runMs: 0 };
      return { status: "exited", exitCode: 0, stdout: text, stdoutValid: valid, ...rest };
    },
    open: () => Promise.reject(new Error("no process is kept here")),
    close: async () => {},
  };
  const runtime = createHookRuntime({ dialects: [dialect], home: home.path, env: {}, transports: { process } });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home.path } });
  return stageOf(
    session,
    { event, payload },
    (value) => {
      said = value as Uint8Array;
    },
    () => runtime.close(),
  );
}

/** Opens a stage whose hook is a function in a lane of pi or omp. */
export async function functionStage(
  { dialect, lane, name }: { dialect: Dialect; lane: string; name: string },
  moment: Moment,
): Promise<Stage> {
  let said: unknown;
  const source = { path: "/stage", tier: "user", dialect: dialect.id } as const;
  const staged: Dialect = {
    ...dialect,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: [{ lane, source, state: "runs", files: [], definition: undefined }],
    }),
    load: (_, instance) => void instance.on({ event: name, run: () => said }),
  };
  const runtime = createHookRuntime({ dialects: [staged], home: NO_HOME, env: {} });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" } });
  return stageOf(
    session,
    moment,
    (value) => {
      said = value;
    },
    () => runtime.close(),
  );
}

function stageOf(
  session: HookSession,
  { event, payload }: Moment,
  say: (value: unknown) => void,
  close: () => Promise<void>,
): Stage {
  if (session.hooks().length === 0) throw new Error(`nobody listens to ${event}`);
  return {
    async ask(said) {
      say(said);
      return session.emit(event as never, payload as never) as Outcome | Promise<Outcome>;
    },
    close,
  };
}
