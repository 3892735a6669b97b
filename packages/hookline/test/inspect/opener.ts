import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

/** How the browser was opened once. */
export interface OpenedOnce {
  /** The arguments of the program. */
  readonly args: readonly string[];
  /** The file that it was given, as it stood there then. */
  readonly page: string;
  /** The modes of the file and its folder. */
  readonly modes: readonly string[];
}

/** A program in the place of `xdg-open` that notes how it is started. */
export class Opener {
  readonly #folder = mkdtempSync(join(tmpdir(), "hookline-opener-"));
  /** Environment in which a program finds the opener, and believes that there is a screen. */
  readonly env: Readonly<Record<string, string>>;

  /** It ends with the code. */
  constructor(code = 0) {
    onTestFinished(() => rmSync(this.#folder, { recursive: true, force: true }));
    const bin = join(this.#folder, "bin");
    mkdirSync(bin);
    const program = join(bin, "xdg-open");
    writeFileSync(
      program,
      `#!/bin/sh
at=$(mktemp -d '${this.#folder}/XXXXXX')
printf '%s\\n' "$@" > "$at/args"
cat "$1" > "$at/page"
stat -c %a "$1" "$(dirname "$1")" > "$at/modes"
echo "$at" >> '${this.#folder}/opened'
exit ${code}
`,
    );
    chmodSync(program, 0o755);
    this.env = { DISPLAY: ":0", PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
  }

  /** Each time that it was started, the first first. */
  opened(): readonly OpenedOnce[] {
    const noted = join(this.#folder, "opened");
    const lines = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");
    if (!existsSync(noted)) return [];
    return lines(noted).map((at) => ({
      args: lines(join(at, "args")),
      page: readFileSync(join(at, "page"), "utf8"),
      modes: lines(join(at, "modes")),
    }));
  }
}
