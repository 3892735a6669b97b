import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const bin = join(import.meta.dirname, "../packages/hookline/bin/hookline.js");

/** A copy of an example's folder as a project, with an empty home folder; removed when disposed. */
export class Project implements Disposable {
  readonly folder: string;
  readonly #top = mkdtempSync(join(tmpdir(), "hookline-example-"));

  constructor(example: string) {
    this.folder = join(this.#top, "project");
    cpSync(example, this.folder, { recursive: true });
    mkdirSync(join(this.#top, "home"));
  }

  /** Runs `hookline -p PROMPT` with the example's script as the model; returns all events of the run, and the reply. */
  async prompt(text: string): Promise<{ reply: string; events: any[]; err: string }> {
    const args = ["--trust-project", "--script", "script.yaml", "--mode", "json", text];
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`, HOME: join(this.#top, "home") },
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code !== 0) throw new Error(`hookline ended with ${code}:\n${err}`);
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const last = events.findLast(({ type, message }) => type === "message_end" && message.role === "assistant");
    return { reply: textOf(last?.message.content), events, err };
  }

  git(...args: string[]): string {
    const author = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    return execFileSync("git", [...author, ...args], { cwd: this.folder, encoding: "utf8" });
  }

  /** The text of a file, or undefined. */
  read(path: string): string | undefined {
    const full = join(this.folder, path);
    return existsSync(full) ? readFileSync(full, "utf8") : undefined;
  }

  [Symbol.dispose](): void {
    rmSync(this.#top, { recursive: true, force: true });
  }
}

/** The result of each tool call as the model sees it, in order. */
export function results(events: readonly any[]): string[] {
  return events
    .filter(({ type, message }) => type === "message_end" && message.role === "toolResult")
    .map(({ message }) => textOf(message.content));
}

function textOf(content: any): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }: any) => text).join("");
}
