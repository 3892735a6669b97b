import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { run } from "../../src/cli/run.ts";
import type { ScreenIo } from "../../src/mode/interactive/interactive.ts";
import { UNTOLD_MS } from "../../src/tui/working.ts";
import { SMALL, type TerminalSize, VirtualTerminal } from "./terminal.ts";

/** How a person sits down at the screen. */
export interface SittingOptions {
  readonly size?: TerminalSize;
  /** Replies of the scripted model. */
  readonly replies?: readonly object[];
  readonly args?: readonly string[];
  /** A session file below the home to go on with. */
  readonly session?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files by their paths below the project, or below the home when they begin with `~/`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Called before hookline starts. */
  readonly prepare?: (sitting: Sitting) => void;
  /** Uses a terminal of the test's own. */
  readonly terminal?: VirtualTerminal;
  /** Starts without any model. */
  readonly hasModel?: false;
  /** Does not wait for the first prompt. */
  readonly isEarly?: boolean;
}

/** The command line as a person runs it on a terminal, in this process: the same assembly, another terminal. */
export class Sitting implements AsyncDisposable {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-sitting-"));
  readonly home = join(this.top, "home");
  readonly project = join(this.top, "project");
  readonly terminal: VirtualTerminal;
  /** Output that was printed beside the screen. */
  out = "";
  err = "";
  code: Promise<number> = Promise.resolve(0);

  private constructor(options: SittingOptions) {
    this.terminal = options.terminal ?? new VirtualTerminal(options.size ?? SMALL);
    mkdirSync(this.home);
    mkdirSync(this.project);
    for (const [path, text] of Object.entries(options.files ?? {})) this.write(path, text);
  }

  /** Starts, and waits until the editor takes keys. */
  static async start(options: SittingOptions = {}): Promise<Sitting> {
    const sitting = new Sitting(options);
    const script = sitting.write("~/script.json", JSON.stringify({ replies: options.replies ?? [{ text: "Fine." }] }));
    const { terminal } = sitting;
    const io: ScreenIo = {
      env: {
        PATH: process.env["PATH"],
        HOME: sitting.home,
        HOOKLINE_HOME: join(sitting.home, ".hookline"),
        ...options.env,
      },
      cwd: sitting.project,
      stdinIsTerminal: true,
      stdoutIsTerminal: true,
      out: (text) => void (sitting.out += text),
      err: (text) => void (sitting.err += text),
      readStdin: async () => "",
      terminal: () => terminal,
    };
    options.prepare?.(sitting);
    const session = options.session === undefined ? [] : ["--session", join(sitting.home, options.session)];
    sitting.code = run(
      [...(options.hasModel === false ? [] : ["--script", script]), ...session, ...(options.args ?? [])],
      io,
    );
    sitting.code.catch(() => undefined);
    if (options.isEarly !== true) await terminal.until(/Model: script/);
    return sitting;
  }

  /** Writes a file; gives its path. */
  write(path: string, text: string): string {
    const full = path.startsWith("~/") ? join(this.home, path.slice(2)) : join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** Types a text and presses Enter. */
  say(text: string): void {
    this.terminal.type(text);
    this.terminal.press("enter");
  }

  /**
   * Waits until the agent no longer works, so that commands are taken at once. The spinner appears late: that it is
   * absent counts only if nothing is drawn for longer than that.
   */
  async idle(): Promise<void> {
    const { terminal } = this;
    for (let writes = -1; writes !== terminal.writes; ) {
      await terminal.until((screen) => !/\(Esc (?:interrupts|gives up)\)/.test(screen));
      writes = terminal.writes;
      await pause(UNTOLD_MS);
      await terminal.settled();
    }
  }

  /** The settled screen, with what differs from machine to machine replaced. */
  async screen(options?: { readonly styles?: boolean }): Promise<string> {
    return this.redacted(await this.terminal.screen(options));
  }

  redacted(text: string): string {
    return text
      .replaceAll(this.project, "/project")
      .replaceAll(this.home, "/home")
      .replace(/\S*hookline-sitting-\w*…/g, "/project…")
      .replace(/hookline \d\S*/g, "hookline X");
  }

  /** Leaves with Ctrl+D; gives the exit code. */
  async leave(): Promise<number> {
    this.terminal.press("ctrl+c", "ctrl+d");
    return this.code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.race([this.leave(), new Promise((done) => setTimeout(done, 60_000))]);
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 });
  }
}
