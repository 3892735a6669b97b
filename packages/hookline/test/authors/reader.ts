import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { missingLine, stepsOf } from "./steps.ts";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** A project and a home as a reader of the guide has them: hookline in PATH, vitest and the library in the project. */
export class Reader {
  readonly top = mkdtempSync(join(tmpdir(), "hookline-guide-"));
  /** The reader's home; a page may go on at another machine. */
  home = join(this.top, "home");
  project = join(this.top, "project");
  /** Replacements for words of a page that name a place of the world, such as a host. */
  readonly words = new Map<string, string>();
  readonly bin = join(this.top, "bin");

  constructor() {
    for (const folder of [this.home, this.project, this.bin]) mkdirSync(folder);
    const main = JSON.stringify(join(root, "packages/hookline/src/cli/main.ts"));
    writeFileSync(join(this.bin, "hookline.mjs"), `const { start } = await import(${main});\nawait start();\n`);
    writeFileSync(
      join(this.bin, "hookline"),
      `#!/bin/sh\nexec '${process.execPath}' --conditions=hookline-source '${this.bin}/hookline.mjs' "$@"\n`,
    );
    chmodSync(join(this.bin, "hookline"), 0o755);
    symlinkSync(process.execPath, join(this.bin, "node"));
    this.#equip();
  }

  /** Goes on at another machine: in an empty home and an empty project. */
  move(): void {
    this.home = join(this.top, "home2");
    this.project = join(this.top, "project2");
    for (const folder of [this.home, this.project]) mkdirSync(folder);
    this.#equip();
  }

  #equip(): void {
    symlinkSync(join(root, "node_modules"), join(this.project, "node_modules"));
    // A reader's machine is not as busy as one that runs tests.
    const config = `export default { test: { testTimeout: 180_000 }, resolve: { conditions: ["hookline-source"] }, ssr: { resolve: { conditions: ["hookline-source"], externalConditions: ["hookline-source"] } } };\n`;
    writeFileSync(join(this.project, "vitest.config.mjs"), config);
  }

  write(path: string, text: string, executable: boolean): void {
    const full = join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    if (executable) chmodSync(full, 0o755);
  }

  /** Starts the commands as one shell script that ends at the first failure; without a terminal, consent is given by a flag. */
  start(commands: string) {
    let text = commands.replace(/^hookline trust approve\b/gm, "$& --yes");
    for (const [word, meant] of this.words) text = text.replaceAll(word, meant);
    return spawn("sh", ["-e", "-c", text], {
      cwd: this.project,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: `${this.bin}${delimiter}${process.env["PATH"] ?? ""}`, HOME: this.home, NO_COLOR: "1", CI: "1" },
    });
  }

  /** Runs the commands to their end. */
  run(commands: string): Promise<{ code: number | null; output: string }> {
    return new Promise((resolve, reject) => {
      const child = this.start(commands);
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output }));
    });
  }

  /** Takes a page's steps one by one, as they stand. */
  async follow(page: string, before?: (line: number) => void): Promise<void> {
    let printed = "";
    for (const step of stepsOf(join(root, page))) {
      before?.(step.line);
      const where = `${page}:${step.line}`;
      if (step.kind === "file") this.write(step.path, step.text, step.executable);
      else if (step.kind === "commands") {
        const { code, output } = await this.run(step.text);
        expect(code, `${where}\n${output}`).toBe(0);
        printed = output;
      } else expect(missingLine(step.lines, printed), `${where}\n${printed}`).toBeUndefined();
    }
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}
