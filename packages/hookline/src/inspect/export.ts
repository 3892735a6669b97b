import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@hookline/ground";
import { wrongUse } from "@hookline/ground/system";
import type { HooklineError } from "@hookline/runtime";
import { type MomentLine, RecordingWriter } from "@hookline/runtime/past";
import { DATA_ID, type ExportedData } from "./exported.ts";
import { momentIn } from "./moment-answer.ts";
import type { FullMoment } from "./moment-file.ts";
import type { MomentIndex } from "./moment-index.ts";
import { type Page, readPage } from "./page.ts";
import type { Breathe } from "./reading.ts";
import type { Opened } from "./sources.ts";

/** A larger export must be limited with `--from` and `--to`. */
const MOST_BYTES = 50_000_000;
const MOMENTS_AT_ONCE = 100;
/** How many characters of the page are collected before they are written. */
const PIECE = 1 << 20;

/** The numbers of the first and the last moment to export; absent for no limit. */
export interface ExportedPart {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The version that the export names, and the functions that write it and let other work run. */
export interface ExportParts {
  readonly hookline: string;
  readonly breathe: Breathe;
  /** Receives the page, piece by piece. */
  write(piece: string): void;
}

/** Returns a moment for an export; throws if it cannot be read. */
function momentOrRefuse(index: MomentIndex, n: number): FullMoment {
  try {
    return momentIn(index, n);
  } catch (thrown) {
    const remedy = "Name an unchanged copy, or the moments before or after it with --from and --to.";
    throw refused(`cannot be exported: ${messageOf(thrown).replace(/\.$/, "")}`, remedy);
  }
}

/**
 * Makes one file that shows a source without a server; returns how many moments it has. Throws if it would be too large,
 * after some of it was written.
 */
export async function exportSource(
  opened: Opened,
  { from, to }: ExportedPart,
  { hookline, breathe, write }: ExportParts,
  page: { readonly files: Page; readonly script: string } = { files: readPage(), script: exportScript() },
): Promise<number> {
  const { reading } = opened;
  const source = opened.source();
  if (reading === undefined)
    throw refused(
      "is a replay's result, which cannot be exported",
      "Export the recording or session that was replayed.",
    );
  await reading.update();
  const { index } = reading;
  const [first, last] = [Math.max(1, from ?? 1), Math.min(index.count, to ?? index.count)];
  if (first > last)
    throw refused(`has no moments from ${first} to ${to ?? "its end"}`, `It has ${index.count}; name some of them.`);
  const isPart = from !== undefined || to !== undefined;
  const title = isPart ? `${source.title} (moments ${first} to ${last})` : source.title;
  const data: Omit<ExportedData, "text"> = { v: 1, hookline, source: { ...source, title } };
  const [before, after] = htmlAround(page.files, page.script, data);
  write(before);
  let held = "";
  let bytes = 0;
  const pass = (): void => {
    write(inScript(held).slice(1, -1));
    held = "";
  };
  const add = (line: string): void => {
    held += line;
    bytes += line.length;
    if (held.length > PIECE) pass();
  };
  const { session = "", cwd = "", level = "all" } = source;
  const writer = new RecordingWriter({ write: add }, { session, cwd, hookline, level, t: index.span.from });
  for (let n = first; n <= last; n++) {
    if (n % MOMENTS_AT_ONCE === 0) await breathe();
    const moment = momentOrRefuse(index, n);
    writer.moment({ ...moment, scene: { cwd, ...moment.scene } } as Omit<MomentLine, "v" | "n">);
    if (bytes > MOST_BYTES && !isPart)
      throw refused(
        "makes a page of more than 50 MB",
        `Name a part of its ${index.count} moments with --from N and --to N; the first ${n - 1} fit.`,
      );
  }
  writer.end();
  pass();
  write(after);
  return last - first + 1;
}

/** Serializes a value as JSON that cannot end the script element around it. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

/**
 * Writes the page that `make` makes to a file that only its owner can read; returns its size and what `make` returns.
 * The file appears when the page is complete. Throws what `make` throws, and if the file cannot be written.
 */
export async function writeExport<T>(
  path: string,
  make: (write: (piece: string) => void) => Promise<T>,
): Promise<{ readonly bytes: number; readonly made: T }> {
  // A regular file is replaced once the page is complete. A pipe or `/dev/stdout` is written directly.
  const isReplaced = statSync(path, { throwIfNoEntry: false })?.isFile() !== false;
  const unfinished = isReplaced ? `${path}.${process.pid}.partial` : path;
  let bytes = 0;
  const attempt = <R>(work: () => R): R => {
    try {
      return work();
    } catch (thrown) {
      const problem = `cannot be written: ${messageOf(thrown)}`;
      throw wrongUse(`--export ${path}`, problem, "Name a file in a folder that you may write to.");
    }
  };
  const fd = attempt(() => openSync(unfinished, isReplaced ? "wx" : "w", 0o600));
  try {
    const made = await make((piece) => {
      const encoded = Buffer.from(piece);
      bytes += encoded.length;
      attempt(() => writeFileSync(fd, encoded));
    });
    if (isReplaced) attempt(() => renameSync(unfinished, path));
    return { bytes, made };
  } finally {
    closeSync(fd);
    if (isReplaced) rmSync(unfinished, { force: true });
  }
}

/**
 * Returns the page with its script, its styles and the data, in two parts: before and after the data's text. The page's
 * content security policy allows only these scripts and styles, by their hashes.
 */
function htmlAround(files: Page, script: string, data: Omit<ExportedData, "text">): [before: string, after: string] {
  const scripts: string[] = [];
  const styles: string[] = [];
  const textOf = (address: string): string => {
    const file = files.get(address.replace(/^\.?\//, "/"));
    if (file === undefined)
      throw new Error(`The inspector's page has no ${address}. Build it again with \`npm run build\`.`);
    return inert(file.bytes.toString("utf8"));
  };
  const start = files.get("/index.html") ?? files.get("/");
  if (start === undefined)
    throw new Error("The inspector's page has no index.html. Build it again with `npm run build`.");
  const offline = inert(script);
  scripts.push(offline);
  const body = start.bytes
    .toString("utf8")
    .replace(/<meta[^>]*http-equiv="content-security-policy"[^>]*>/gi, "")
    .replace(/<script\b[^>]*\bsrc="([^"]+)"[^>]*><\/script>/g, (_, address: string) => {
      scripts.push(textOf(address));
      return "";
    })
    .replace(/<link\b[^>]*\brel="(?:stylesheet|modulepreload|icon)"[^>]*>/g, (link) => {
      const address = /\bhref="([^"]+)"/.exec(link)?.[1];
      if (address !== undefined && link.includes('"stylesheet"')) styles.push(textOf(address));
      return "";
    });
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(" ")}`,
    `style-src ${styles.map(hashOf).join(" ") || "'none'"}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  const [, ...own] = scripts;
  const head = [
    `<meta http-equiv="content-security-policy" content="${policy}">`,
    '<meta name="referrer" content="no-referrer">',
    ...styles.map((style) => `<style>${style}</style>`),
  ].join("\n");
  const end = [`<script>${offline}</script>`, ...own.map((text) => `<script type="module">${text}</script>`)].join(
    "\n",
  );
  // A function is given, because `$&` in a replacement text would be expanded.
  const whole = body.replace(/<head[^>]*>/i, (tag) => `${tag}\n${head}`);
  const at = whole.search(/<\/body>/i);
  const open = `<script type="application/json" id="${DATA_ID}">${inScript(data).slice(0, -1)},"text":"`;
  return [whole.slice(0, at) + open, `"}</script>\n${end}\n${whole.slice(at)}`];
}

/** Escapes a script or style so that an HTML parser neither ends its element early nor changes its text. */
function inert(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\0", "")
    .replace(/<(\/(?:script|style)|!--)/gi, "<\\$1");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Returns the built script for an export's page, which answers the page's requests instead of a server. */
function exportScript(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const paths = [join(here, "inspector-export.js"), join(here, "../../dist/inspector-export.js")];
  const path = paths.find((one) => existsSync(one));
  if (path === undefined) throw new Error("The script of exports was not built. Build it with `npm run build`.");
  return readFileSync(path, "utf8");
}

function refused(problem: string, remedy: string): HooklineError {
  return wrongUse("The source", problem, remedy);
}
