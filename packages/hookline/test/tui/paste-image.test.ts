import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pasteImage } from "../../src/mode/interactive/paste-image.ts";
import type { Stage } from "../../src/tui/stage.ts";
import { Sitting } from "../support/sitting.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let bin: string;
let typed: string[];
let told: string[];
let stage: Stage;

beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "hookline-clip-"));
  [typed, told] = [[], []];
  stage = {
    prompt: { paste: (text: string) => typed.push(text) },
    toasts: { show: (text: string) => told.push(text) },
  } as unknown as Stage;
});

afterEach(() => rmSync(bin, { recursive: true, force: true }));

/** A program that prints what a clipboard holds. */
function program(name: string, output: Buffer, code = 0): void {
  writeFileSync(join(bin, `${name}.out`), output);
  writeFileSync(join(bin, name), `#!/bin/sh\n/bin/cat '${join(bin, name)}.out'\nexit ${code}\n`);
  chmodSync(join(bin, name), 0o755);
}

test.each([
  ["X11", { DISPLAY: ":0" }, "xclip", "linux"],
  ["Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "wl-paste", "linux"],
  ["Wayland, by X11's program where there is only that", { WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, "xclip", "linux"],
] as const)(
  "an image of %s becomes a file that only the person may read, and its path",
  async (_, env, name, platform) => {
    program(name, PNG);
    await pasteImage(stage, { ...env, PATH: bin }, platform);
    const path = (typed[0] ?? "").trim();
    expect(readFileSync(path)).toEqual(PNG);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(dirname(path), { recursive: true });
  },
);

test("an image of macOS is printed as hexadecimal digits", async () => {
  program("osascript", Buffer.from(`«data PNGf${PNG.toString("hex").toUpperCase()}»\n`));
  await pasteImage(stage, { PATH: bin }, "darwin");
  const path = (typed[0] ?? "").trim();
  expect(readFileSync(path)).toEqual(PNG);
  rmSync(dirname(path), { recursive: true });
});

test.each([
  ["a text", Buffer.from("only words"), 0],
  ["nothing", Buffer.alloc(0), 1],
])("%s on the clipboard is said to be no image", async (_, output, code) => {
  program("xclip", output, code);
  await pasteImage(stage, { DISPLAY: ":0", PATH: bin }, "linux");
  expect([typed, told]).toEqual([[], ["There is no image on the clipboard"]]);
});

test("a missing program is named", async () => {
  await expect(pasteImage(stage, { DISPLAY: ":0", WAYLAND_DISPLAY: "w", PATH: bin }, "linux")).rejects.toThrow(
    "install wl-paste or xclip",
  );
  await expect(pasteImage(stage, { PATH: bin }, "linux")).rejects.toThrow("on a desktop only");
});

test("Ctrl+V on the screen pastes, or says why it cannot", async () => {
  await using sitting = await Sitting.start();
  sitting.terminal.press("ctrl+v");
  await sitting.terminal.until(/Images can be pasted|install|no image on the clipboard|hookline-paste-/);
});
