import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import xterm from "@xterm/headless";
import { buildAgent } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

const COLUMNS = 96;
const ROWS = 32;
const CELL = { width: 8.4, height: 18, font: 14 } as const;

/** Draws the README's picture: a session of the built command line in a real terminal multiplexer. */
commandLine({ name: "picture", says: "Draws the README's picture from a session in tmux." });
await buildAgent();
const place = mkdtempSync(join(tmpdir(), "hookline-picture-"));
const session = `hookline-picture-${process.pid}`;
try {
  const project = join(place, "project");
  cpSync(join(root, "scripts/picture"), project, { recursive: true });
  mkdirSync(join(place, "home"));
  const bin = join(root, "packages/hookline/bin/hookline.js");
  const command = `cd '${project}' && exec env HOME='${join(place, "home")}' COLORTERM=truecolor '${process.execPath}' '${bin}' --trust-project --script script.yaml`;
  tmux("-f", "/dev/null", "new-session", "-d", "-s", session, "-x", String(COLUMNS), "-y", String(ROWS), command);
  tmux("set-option", "-t", session, "status", "off");
  await until("See /hooks");
  await type("Tidy up this project", "the folder has");
  await type("/hooks", "approve|reload");
  keys("Tab");
  await until("refused it");
  writeFileSync(join(root, "docs/terminal.svg"), await drawn(tmux("capture-pane", "-e", "-p", "-t", session), place));
  process.stdout.write("docs/terminal.svg\n");
} finally {
  try {
    tmux("kill-session", "-t", session);
  } catch {
    // It has ended by itself.
  }
  rmSync(place, { recursive: true, force: true });
}

async function type(text: string, then: string): Promise<void> {
  tmux("send-keys", "-t", session, "-l", text);
  keys("Enter");
  await until(then);
}

function keys(...names: readonly string[]): void {
  tmux("send-keys", "-t", session, ...names);
}

async function until(pattern: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const shown = tmux("capture-pane", "-p", "-t", session);
    if (new RegExp(pattern).test(shown)) return;
    await pause(100);
  }
  throw new Error(`The screen never showed ${pattern}:\n${tmux("capture-pane", "-p", "-t", session)}`);
}

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The captured screen as an SVG, with one text element for each run of cells with the same style. */
async function drawn(captured: string, folder: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  const shown = captured.replaceAll(folder, "~").trimEnd();
  await new Promise<void>((resolve) => terminal.write(shown.replaceAll("\n", "\r\n"), resolve));
  const runs: string[] = [];
  for (let y = 0; y < ROWS; y++) {
    const line = terminal.buffer.active.getLine(y);
    for (let x = 0; line !== undefined && x < COLUMNS; ) {
      const cell = line.getCell(x);
      if (cell === undefined) break;
      let text = "";
      const from = x;
      const look = lookOf(cell);
      while (x < COLUMNS) {
        const next = line.getCell(x);
        if (next === undefined || lookOf(next) !== look) break;
        text += next.getChars() || " ";
        x += Math.max(1, next.getWidth());
      }
      if (text.trim() !== "") runs.push(textAt(from, y, text, look, x - from));
    }
  }
  const width = Math.ceil(COLUMNS * CELL.width + 24);
  const height = ROWS * CELL.height + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="hookline on a terminal: a hook has refused a command, and the panel says which">
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${CELL.font}">
${runs.join("\n")}
</g>
</svg>
`;
}

type Cell = NonNullable<ReturnType<NonNullable<ReturnType<xterm.IBuffer["getLine"]>>["getCell"]>>;

function lookOf(cell: Cell): string {
  const inverse = cell.isInverse() !== 0;
  const colour = inverse ? "#16181d" : cell.isFgDefault() ? "#d7dae0" : colourOf(cell.getFgColor(), cell.isFgRGB());
  const parts = [`fill="${colour}"`];
  if (cell.isBold()) parts.push('font-weight="bold"');
  if (cell.isDim()) parts.push('opacity="0.7"');
  if (cell.isItalic()) parts.push('font-style="italic"');
  return parts.join(" ");
}

const BASE = ["#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0"];

function colourOf(colour: number, isRgb: boolean): string {
  if (isRgb) return `#${colour.toString(16).padStart(6, "0")}`;
  if (colour < 16) return BASE[colour % 8] as string;
  if (colour >= 232) return `#${(8 + (colour - 232) * 10).toString(16).padStart(2, "0").repeat(3)}`;
  const steps = [0, 95, 135, 175, 215, 255];
  const at = colour - 16;
  const part = (n: number): string => (steps[n % 6] as number).toString(16).padStart(2, "0");
  return `#${part(Math.floor(at / 36))}${part(Math.floor(at / 6))}${part(at)}`;
}

/** Browsers keep blanks only where the element itself says so; it does not reach it from a group. */
function textAt(x: number, y: number, text: string, look: string, cells: number): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const left = (12 + x * CELL.width).toFixed(1);
  const top = 12 + (y + 0.75) * CELL.height;
  return `<text xml:space="preserve" x="${left}" y="${top}" textLength="${(cells * CELL.width).toFixed(1)}" ${look}>${escaped}</text>`;
}
