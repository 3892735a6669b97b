import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { exec } from "../../in-process/actions.ts";
import type { Owner } from "../../in-process/owner.ts";

/** A file that is read only on demand. Relative paths start at the session's folder. */
interface BunFile {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  text(): Promise<string>;
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
  exists(): Promise<boolean>;
  stream(): ReadableStream<Uint8Array>;
}

interface SpawnOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

/**
 * Makes the part of the global `Bun` that hooks use: files, `sleep`, `env` and child processes. Programs run like the
 * module's `exec`: their output is available only after they have ended, and they are ended with the module. Missing
 * members throw an explanation when they are used.
 */
export function createBun(owner: Owner): object {
  const { cwd } = owner.around.scene;
  const pathOf = (given: string | URL): string =>
    given instanceof URL ? fileURLToPath(given) : resolve(cwd, String(given));
  const members = {
    env: process.env,
    argv: process.argv,
    file: (given: string | URL) => fileAt(pathOf(given)),
    write: (to: unknown, data: unknown) => write(isFile(to) ? to.name : pathOf(to as string | URL), data),
    sleep: async (until: number | Date) =>
      void (await sleep(Math.max(0, typeof until === "number" ? until : until.getTime() - Date.now()))),
    spawn: (...args: unknown[]) => spawn(owner, ...commandOf(args)),
  };
  return new Proxy(members, {
    get(target, key, receiver) {
      if (typeof key === "symbol" || Object.hasOwn(target, key)) return Reflect.get(target, key, receiver);
      throw new Error(`Bun.${key} is not available: hookline runs on Node. Use node:fs, node:child_process or fetch.`);
    },
  });
}

const files = new WeakSet<object>();

function isFile(value: unknown): value is BunFile {
  return typeof value === "object" && value !== null && files.has(value);
}

function fileAt(path: string): BunFile {
  const bytes = async (): Promise<Uint8Array> => new Uint8Array(await readFile(path));
  const file: BunFile = {
    name: path,
    get size() {
      return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    },
    type: TYPES[extname(path)] ?? "application/octet-stream",
    text: () => readFile(path, "utf8"),
    json: async () => JSON.parse(await readFile(path, "utf8")),
    bytes,
    arrayBuffer: async () => (await bytes()).buffer as ArrayBuffer,
    exists: async () => existsSync(path),
    stream: () => new Response(new Uint8Array(readFileSync(path))).body as ReadableStream<Uint8Array>,
  };
  files.add(file);
  return file;
}

const TYPES: Readonly<Record<string, string>> = {
  ".json": "application/json;charset=utf-8",
  ".txt": "text/plain;charset=utf-8",
  ".md": "text/markdown",
  ".html": "text/html;charset=utf-8",
};

/** Writes a file and creates missing folders. Returns the number of bytes. */
async function write(path: string, data: unknown): Promise<number> {
  const body = isFile(data) ? await data.bytes() : data;
  const bytes = new Uint8Array(await new Response(body as ConstructorParameters<typeof Response>[0]).arrayBuffer());
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  return bytes.length;
}

/** Reads the arguments of `spawn(["git", "status"], options)` or `spawn({ cmd: ["git", "status"], ... })`. */
function commandOf([first, options]: readonly unknown[]): [string[], SpawnOptions] {
  if (Array.isArray(first)) return [first.map(String), (options ?? {}) as SpawnOptions];
  const { cmd, ...rest } = first as SpawnOptions & { readonly cmd: readonly unknown[] };
  return [cmd.map(String), rest];
}

function spawn(owner: Owner, [command = "", ...args]: string[], { cwd, signal, timeout }: SpawnOptions): object {
  const ended = new AbortController();
  const result = exec(owner, command, args, {
    cwd,
    timeout,
    signal: signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]),
  });
  const process: { exitCode: number | null; killed: boolean } & Record<string, unknown> = {
    exitCode: null,
    killed: false,
    stdout: streamOf(result.then(({ stdout }) => stdout)),
    stderr: streamOf(result.then(({ stderr }) => stderr)),
    exited: result.then(({ code, killed }) => {
      process.killed = killed;
      process.exitCode = code;
      return code;
    }),
    kill: () => ended.abort(),
  };
  return process;
}

function streamOf(text: Promise<string>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      const bytes = new TextEncoder().encode(await text);
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}
