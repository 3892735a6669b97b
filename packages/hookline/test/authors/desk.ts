import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import type { Io } from "../../../ground/src/io/io.ts";
import { run } from "../../src/cli/run.ts";

/** The result of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Stdout as JSON. */
  readonly json: any;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Aborted when nobody reads the output any more. */
  readonly readerGone?: AbortSignal;
  /** Puts the command on a terminal, where this is what the person types: to each question, or to one after the other. */
  readonly types?: string | readonly string[];
}

/** A project and an empty home beside it, in which the command line runs within this process. */
export class Desk {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-desk-"));
  readonly home = join(this.top, "home");
  /** The output of the last command so far. */
  said = "";
  /** Each text that commands have printed, on stdout and stderr, in order. */
  readonly heard: string[] = [];
  readonly hooklineHome = join(this.home, ".hookline");
  cwd = join(this.top, "project");

  constructor() {
    mkdirSync(this.home);
    mkdirSync(this.cwd);
  }

  /** A path below the project, or below the home where it begins with `~/`. */
  path(path: string): string {
    return path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.cwd, path);
  }

  write(path: string, text: string, mode?: "x"): string {
    const full = this.path(path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    if (mode === "x") chmodSync(full, 0o755);
    return full;
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  async hookline(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    let out = "";
    let err = "";
    const { types } = options;
    const answers = typeof types === "string" ? undefined : [...(types ?? [])];
    const io: Io = {
      env: { ...CHILD_ENV, HOME: this.home, HOOKLINE_HOME: this.hooklineHome, ...options.env },
      cwd: this.cwd,
      stdinIsTerminal: types !== undefined,
      stdoutIsTerminal: types !== undefined,
      out: (text) => {
        out += text;
        this.said = out;
        this.heard.push(text);
      },
      ...(options.readerGone !== undefined && { readerGone: options.readerGone }),
      err: (text) => {
        err += text;
        this.heard.push(text);
      },
      readStdin: async () => options.stdin ?? "",
      ...(types !== undefined && {
        ask: async (question: string) => {
          out += question;
          return answers === undefined ? (types as string) : (answers.shift() ?? "");
        },
      }),
    };
    const code = await run(args, io);
    return {
      code,
      out,
      err,
      get json() {
        return JSON.parse(out);
      },
    };
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** One hook of each dialect in the home folder, which refuses `rm` and says nothing to the rest. */
export function guards(desk: Desk): void {
  desk.write(
    "~/.jdata/agent/hooks.yaml",
    `pre_tool_execution:\n  - command: 'if grep -q "rm " ; then echo ''{"action":"skip","retry_feedback":"no"}''; echo seen >&2; fi'\n    filter: { tool_name: Bash }\n    on_error: abort\n`,
  );
  desk.write(
    "~/.chibi/plugins/guard",
    `#!/bin/sh\n[ "$1" = --schema ] && { echo '{"name":"guard","description":"d","hooks":["pre_tool"]}'; exit 0; }\ncase "$CHIBI_HOOK_DATA" in *"rm "*) echo '{"block":true,"message":"no"}';; esac\n`,
    "x",
  );
  const module = `export default (pi) => { pi.on("tool_call", (e) => (String(e.input.command).startsWith("rm ") ? { block: true, reason: "no" } : undefined)); };\n`;
  desk.write("~/.omp/agent/hooks/pre/guard.ts", module);
  desk.write("~/.pi/agent/extensions/guard.ts", module.replace('"no"', '"no "'));
}
