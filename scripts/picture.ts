import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import xterm from "@xterm/headless";
import { buildAgent } from "./build.ts";
import { commandLine } from "./command-line.ts";
import { root } from "./step.ts";

const CELL = { width: 8.4, height: 18, font: 14 } as const;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface Picture extends Size {
  /** Alternative text for people who cannot see the picture. */
  readonly says: string;
  /** The folder in `scripts/picture` that contains the project. */
  readonly of: string;
  /** The program and its arguments. */
  readonly start: readonly string[];
  steps(): Promise<void>;
}

/** The pictures, by their file names in `docs`. */
const PICTURES: Readonly<Record<string, Picture>> = {
  terminal: {
    says: "hookline on a terminal: a hook has refused a command, and the panel says which",
    columns: 96,
    rows: 32,
    of: "session",
    start: ["hookline", "--trust-project", "--script", "script.yaml"],
    async steps() {
      await until("See /hooks");
      await type("Tidy up this project", "the folder has");
      await type("/hooks", "approve|reload");
      keys("Tab");
      await until("refused it");
    },
  },
  guards: {
    says: "A shell: the guard commands refuses to delete the only copy of three drafts; with undo they are deleted, and brought back",
    columns: 104,
    rows: 36,
    of: "guards",
    start: ["bash", "--norc", "--noprofile"],
    async steps() {
      await until("\\$ $");
      await type("hookline guards add commands", "guards try\\n\\$ $");
      await type('hookline -p --script script.yaml "Clean up."', "still there.\\n\\$ $");
      await type("hookline guards add undo", "undo is added[^]*guards try\\n\\$ $");
      await type('hookline -p --script script.yaml "Clean up."', "are gone.\\n\\$ $");
      await type("ls drafts", "cannot access[^\\n]*\\n\\$ $");
      await type("hookline undo", "\\[y/N\\]|\\? *$");
      await type("y", "take this back[^\\n]*\\n\\$ $");
      await type("ls drafts", "\\.md\\n\\$ $");
    },
  },
};

/** Draws pictures of the built command line in a real terminal multiplexer. */
const { words } = commandLine({
  name: "picture",
  says: "Draws the pictures of the documentation from sessions in tmux.",
  words: { called: "NAME", says: "only these pictures", known: Object.keys(PICTURES) },
});
await buildAgent();
const session = `hookline-picture-${process.pid}`;
for (const [name, picture] of Object.entries(PICTURES))
  if (words.length === 0 || words.includes(name)) await draw(name, picture);

async function draw(name: string, { columns, rows, of, start, steps, says }: Picture): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "hookline-picture-"));
  try {
    const project = join(place, "project");
    cpSync(join(root, "scripts/picture", of), project, { recursive: true });
    for (const folder of ["home", "bin"]) mkdirSync(join(place, folder));
    const hookline = `#!/bin/sh\nexec '${process.execPath}' '${join(root, "packages/hookline/bin/hookline.js")}' "$@"\n`;
    writeFileSync(join(place, "bin/hookline"), hookline, { mode: 0o755 });
    const env = [
      `HOME=${join(place, "home")}`,
      `PATH=${join(place, "bin")}:${process.env["PATH"]}`,
      "COLORTERM=truecolor",
      "PS1=$ ",
    ];
    const size = ["-x", String(columns), "-y", String(rows)];
    tmux("-f", "/dev/null", "new-session", "-d", "-s", session, ...size, "-c", project, "env", ...env, ...start);
    tmux("set-option", "-t", session, "status", "off");
    await steps();
    const shown = tmux("capture-pane", "-e", "-p", "-t", session).replaceAll(place, "~");
    writeFileSync(join(root, `docs/${name}.svg`), await drawn(shown, { columns, rows }, says));
    process.stdout.write(`docs/${name}.svg\n`);
  } finally {
    try {
      tmux("kill-session", "-t", session);
    } catch {
      // The session has already ended.
    }
    rmSync(place, { recursive: true, force: true });
  }
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
  for (let tries = 0; tries < 600; tries++) {
    const shown = tmux("capture-pane", "-p", "-t", session).trimEnd();
    if (new RegExp(pattern).test(`${shown} `)) return;
    await pause(100);
  }
  throw new Error(`The screen never showed ${pattern}:\n${tmux("capture-pane", "-p", "-t", session)}`);
}

function tmux(...args: readonly string[]): string {
  return execFileSync("tmux", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Returns the captured screen as an SVG, with one text element for each run of cells with the same style. */
async function drawn(captured: string, { columns, rows }: Size, says: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(captured.trimEnd().replaceAll("\n", "\r\n"), resolve));
  const runs: string[] = [];
  for (let y = 0; y < rows; y++) {
    const line = terminal.buffer.active.getLine(y);
    for (let x = 0; line !== undefined && x < columns; ) {
      const cell = line.getCell(x);
      if (cell === undefined) break;
      let text = "";
      const from = x;
      const look = lookOf(cell);
      while (x < columns) {
        const next = line.getCell(x);
        if (next === undefined || lookOf(next) !== look) break;
        text += next.getChars() || " ";
        x += Math.max(1, next.getWidth());
      }
      if (text.trim() !== "") runs.push(textAt(from, y, text, look, x - from));
    }
  }
  const width = Math.ceil(columns * CELL.width + 24);
  const height = rows * CELL.height + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${says}">
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

/** Returns a text element. `xml:space` must be on the element itself: browsers do not inherit it from a group. */
function textAt(x: number, y: number, text: string, look: string, cells: number): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const left = (12 + x * CELL.width).toFixed(1);
  const top = 12 + (y + 0.75) * CELL.height;
  return `<text xml:space="preserve" x="${left}" y="${top}" textLength="${(cells * CELL.width).toFixed(1)}" ${look}>${escaped}</text>`;
}
