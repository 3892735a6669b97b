import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { answerCall } from "../../../../bridge/src/daemon/answer.ts";
import { Caller } from "../../../../bridge/src/daemon/caller.ts";
import { Sessions, type SessionsParts } from "../../../../bridge/src/daemon/sessions.ts";
import type { BridgeHost } from "../../../../bridge/src/host/host.ts";
import { rig } from "../../../../bridge/test/fixtures/rig.ts";
import { temporaryFolder } from "../../../../bridge/test/support/temporary.ts";
import { openSession } from "../../../src/bridge/open.ts";
import { run } from "../../../src/cli/run.ts";

/** A home and a project, and a daemon's sessions over them. */
export interface Opened {
  readonly home: string;
  readonly cwd: string;
  readonly lines: string[];
  /** Path of the administrator's settings. */
  readonly managed: string;
  write(path: string, text: string): string;
  /** A file of the project. */
  read(path: string): string;
  ask(event: string, payload: object | string, caller?: Caller): Promise<unknown>;
  /** Asks with these bytes as the host's input. */
  askBytes(event: string, input: Uint8Array, caller?: Caller): Promise<unknown>;
  /** Runs a subcommand there, as a person without a terminal. */
  run(...args: readonly string[]): Promise<string>;
  readonly sessions: Sessions;
}

/** A home, a project, and the sessions of a daemon over them, in this process. */
export function opened(host: BridgeHost = rig, guarded: SessionsParts["guarded"] = () => {}): Opened {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, cwd] = [join(folder, "home"), join(folder, "project")];
  for (const one of [home, cwd]) mkdirSync(one);
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const open: typeof openSession = (parts) =>
    openSession({ ...parts, managed: { path: join(folder, "managed.json"), uid: process.getuid?.() ?? 0 } });
  const sessions = new Sessions({ open, log, guarded });
  onTestFinished(() => sessions.closeAll());
  const parts = { hosts: { rig: async () => host }, sessions, hooklineHome: join(home, ".hookline"), log };
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  const askBytes: Opened["askBytes"] = async (event, input, caller = new Caller()) => {
    const request = { host: "rig", event, origin: "", cwd, deadlineMs: 100_000, detach: false, env, input };
    const { exit, stdout, stderr } = await answerCall(request, caller, parts);
    return exit === 0 ? (stdout === "" ? undefined : joined(stdout)) : { exit, stderr };
  };
  return {
    home,
    cwd,
    lines,
    managed: join(folder, "managed.json"),
    sessions,
    write(path, text) {
      const full = path.startsWith("~/") ? join(home, path.slice(2)) : join(cwd, path);
      mkdirSync(join(full, ".."), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    read: (path) => readFileSync(join(cwd, path), "utf8"),
    async run(...args) {
      let out = "";
      const write = (text: string): void => void (out += text);
      const plain = { stdinIsTerminal: false, stdoutIsTerminal: false, readStdin: async () => "" };
      await run(args, { env, cwd, out: write, err: write, ...plain });
      return out;
    },
    ask: (event, payload, caller) => {
      const text = typeof payload === "string" ? payload : JSON.stringify({ session: "s", ...payload });
      return askBytes(event, Buffer.from(text), caller);
    },
    askBytes,
  };
}

/** An answer as one object: Copilot CLI is given several, a line each. */
function joined(stdout: string): object {
  return Object.assign({}, ...stdout.split("\n").map((line) => JSON.parse(line) as object));
}
