import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageTypeOf } from "../../tool/image.ts";
import type { Stage } from "../../tui/stage.ts";

const MAX_BYTES = 32 * 2 ** 20;

/** Time limit for a clipboard program, in ms: on a stalled desktop it would never end. */
const LIMIT_MS = 5000;

/** A program that prints the image in the clipboard, and how to decode its output. */
interface ClipboardProgram {
  readonly command: readonly [file: string, ...args: string[]];
  decode(output: Buffer): Buffer;
}

const plain = (output: Buffer): Buffer => output;

/** Decodes AppleScript's notation for data, such as «data PNGf89504E47…». */
const fromHex = (output: Buffer): Buffer =>
  Buffer.from(/PNGf([0-9A-F]+)/.exec(output.toString("latin1"))?.[1] ?? "", "hex");

function sources(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly ClipboardProgram[] {
  if (platform === "darwin")
    return [{ command: ["osascript", "-e", "get the clipboard as «class PNGf»"], decode: fromHex }];
  return [
    ...(env["WAYLAND_DISPLAY"]
      ? ([{ command: ["wl-paste", "--no-newline", "--type", "image/png"], decode: plain }] as const)
      : []),
    ...(env["DISPLAY"]
      ? ([{ command: ["xclip", "-selection", "clipboard", "-target", "image/png", "-o"], decode: plain }] as const)
      : []),
  ];
}

/** Saves the image in the clipboard to a private file. Inserts its path at the cursor, so that tools can read it. */
export async function pasteImage(stage: Stage, env = process.env, platform = process.platform): Promise<void> {
  const programs = sources(env, platform);
  if (programs.length === 0)
    throw new Error("Images can be pasted on a desktop only: with Wayland, X11 or macOS. Type the path of the file.");
  const missing: string[] = [];
  for (const { command, decode } of programs) {
    const output = await outputOf(command, env);
    if (output === undefined) {
      missing.push(command[0]);
      continue;
    }
    const image = decode(output);
    if (imageTypeOf(image) === undefined) continue;
    const path = join(mkdtempSync(join(tmpdir(), "hookline-paste-")), "image.png");
    writeFileSync(path, image, { mode: 0o600 });
    stage.prompt.paste(`${path} `);
    return;
  }
  if (missing.length === programs.length) throw new Error(`To paste images, install ${missing.join(" or ")}.`);
  stage.toasts.show("There is no image on the clipboard");
}

/** Runs a program and returns its output; undefined if the program does not exist. */
function outputOf([file, ...args]: ClipboardProgram["command"], env: NodeJS.ProcessEnv): Promise<Buffer | undefined> {
  const options = { env, encoding: "buffer", timeout: LIMIT_MS, maxBuffer: MAX_BYTES } as const;
  return new Promise((resolve) => {
    execFile(file, args, options, (error, output) => {
      const isMissing = error?.code === "ENOENT" || error?.code === "EACCES";
      resolve(isMissing ? undefined : error === null ? output : Buffer.alloc(0));
    }).stdin?.end();
  });
}
