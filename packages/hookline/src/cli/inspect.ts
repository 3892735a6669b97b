import { resolve } from "node:path";
import { VERSION } from "@hookline/ground";
import { EXIT, type Io, plain, wrongUse } from "@hookline/ground/system";
import { FileList, type FileListParts } from "../inspect/file-list.ts";
import { namedFile, PlaceFiles } from "../inspect/place-files.ts";
import { breathe, startInspector } from "../inspect/run.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { type Place, placeOf } from "../start/place.ts";
import { auditorHere, machineFlag } from "./auditor.ts";
import { interrupted } from "./interrupted.ts";

/**
 * `hookline inspect [SESSION|FILE]`, or `--fleet [SESSION]`: serves a page on this machine that shows what hooks did,
 * until a person ends it.
 */
export async function inspectSources(args: Arguments, io: Io): Promise<number> {
  const [word] = args.words;
  const place = await placeOf(args, io);
  const shown = isOfFleet(args) ? await filesOfFleet(word, args, io, place) : filesOfFolder(word, io, place);
  if (shown === undefined) return EXIT.fine;
  const list = new FileList({ ...shown, breathe });
  try {
    const target = textFlag(args, "export");
    if (target !== undefined) return await exportTo(resolve(io.cwd, target), list, args, io);
    for (const flag of ["from", "to"] as const)
      if (args.flags[flag] !== undefined)
        throw wrongUse(`--${flag}`, "chooses which moments are exported", "Add --export FILE.");
    return await show(list, { ended: shown.ended, args, io });
  } finally {
    await list.close();
    await shown.close?.();
  }
}

/** The sources that the page shows; `close` releases them when the command ends. */
interface Shown extends Omit<FileListParts, "breathe"> {
  /** Resolves when the command should end. If absent, the command waits until it is interrupted. */
  readonly ended?: Promise<void>;
  close?(): Promise<void>;
}

function filesOfFolder(word: string | undefined, { cwd }: Io, place: Place): Shown {
  const named = word === undefined ? undefined : namedFile(word, { ...place, cwd });
  const files = new PlaceFiles(place);
  return {
    find() {
      const found = files.find();
      if (named === undefined || found.some(({ path }) => path === named.path)) return found;
      return [named, ...found];
    },
    open: named?.path,
  };
}

function isOfFleet({ flags }: Arguments): boolean {
  return flags["fleet"] === true || flags["machine"] !== undefined;
}

/** Reads the decisions of the fleet's machines, and follows new ones; undefined if a person ends that early. */
async function filesOfFleet(
  word: string | undefined,
  args: Arguments,
  io: Io,
  place: Place,
): Promise<Shown | undefined> {
  const machine = machineFlag(args);
  const { auditor, code } = await auditorHere(place.hooklineHome, io.env);
  const { FleetFiles } = await import("../inspect/fleet-files.ts");
  const end = new AbortController();
  const { signal } = end;
  const ended = interrupted(io);
  void ended.then(() => end.abort());
  const tell = (line: string): void => io.err(`${plain(line)}\n`);
  const files = await FleetFiles.open({ code, auditor, machine, signal, tell });
  const close = async (): Promise<void> => {
    end.abort();
    await files.closed();
  };
  if (signal.aborted) return undefined;
  try {
    const open = word === undefined ? undefined : files.named(word).path;
    return { find: () => files.find(), open, fleet: auditor.creds.fleet, ended, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function show(
  list: FileList,
  {
    ended,
    args,
    io,
  }: {
    readonly ended: Promise<void> | undefined;
    readonly args: Arguments;
    readonly io: Io;
  },
): Promise<number> {
  const isJson = args.flags["json"] === true;
  const inspector = await startInspector({
    list,
    port: portOf(args),
    env: io.env,
    tell: (problem) => io.err(`The browser was not opened: ${plain(problem)}. Open the address yourself.\n`),
  });
  const { url, port, token } = inspector;
  // The wait begins before the address is printed, because a person who reads it may interrupt at once.
  const isOver = ended ?? interrupted(io);
  const isOpening = args.flags["no-open"] !== true && !isJson && io.stdoutIsTerminal && inspector.show();
  if (isJson) io.out(`${JSON.stringify({ v: 1, url, port, token, pid: process.pid })}\n`);
  else
    io.out(
      `${isOpening ? "The inspector opens in your browser" : "Open the inspector in a browser on this machine"}:\n\n  ${url}\n\nThe address contains a secret of this run. Ctrl+C ends the inspector.\n`,
    );
  await isOver;
  await inspector.close();
  return EXIT.fine;
}

/** Writes a single file that shows the named source, or the newest one, without a server. */
async function exportTo(path: string, list: FileList, args: Arguments, io: Io): Promise<number> {
  const id = list.open ?? (await list.list())[0]?.id;
  const opened = id === undefined ? undefined : await list.find(id);
  if (opened === undefined)
    throw wrongUse("--export", "needs a session or recording, and there is none", "Name a file.");
  const { exportSource, writeExport } = await import("../inspect/export.ts");
  const part = { from: momentFlag(args, "from"), to: momentFlag(args, "to") };
  const { bytes, made: moments } = await writeExport(path, (write) =>
    exportSource(opened, part, { hookline: VERSION, breathe, write }),
  );
  const which = list.open === undefined ? ` of ${plain(opened.source().title)}` : "";
  if (args.flags["json"] === true) io.out(`${JSON.stringify({ v: 1, file: path, bytes, moments })}\n`);
  else
    io.out(
      `${plain(path)} shows ${moments} ${moments === 1 ? "moment" : "moments"}${which}. The file contains everything in them, so be careful who gets it.\n`,
    );
  return EXIT.fine;
}

function momentFlag(args: Arguments, name: "from" | "to"): number | undefined {
  const text = textFlag(args, name);
  if (text === undefined || /^[1-9]\d{0,9}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw wrongUse(
    `--${name}`,
    `is not the number of a moment: ${text}`,
    "Moments count from 1; the page shows their numbers.",
  );
}

function portOf(args: Arguments): number {
  const text = textFlag(args, "port") ?? "0";
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw wrongUse("--port", `is not a port: ${text}`, "Give a number from 0 to 65535; 0 takes a free one.");
}
