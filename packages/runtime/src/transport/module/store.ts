import { hash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, diagnose, messageOf } from "@hookline/ground";
import type { Transformed } from "./unit.ts";

interface StoredScript {
  readonly transformed: Transformed;
  readonly compiled: Buffer;
}

interface NewScript extends StoredScript {
  readonly map: string;
}

/**
 * Caches transformed scripts on disk, by the hash of their source. Damage and full disks cost time but never fail a
 * load.
 */
export interface ScriptStore {
  get(key: string): StoredScript | undefined;
  /** Writes each key once; a script that V8 has refused is written again with `replace`. */
  put(key: string, script: NewScript, replace: boolean): void;
  map(key: string): string | undefined;
}

const DIGEST_BYTES = 32;
const LENGTHS_BYTES = 12;
/** The number of files above which the cache is cut; about 40 MB of typical modules. */
const MAX_FILES = 8192;

interface StoreOptions {
  /** The folder of the cache, created when the first script is written. */
  readonly folder: string;
  onDiagnostic?(diagnostic: Diagnostic): void;
}

/** Returns the cache in a folder, which is not touched before the first script. */
export function createScriptStore({ folder, onDiagnostic }: StoreOptions): ScriptStore {
  const written = new Set<string>();
  let writable: boolean | undefined;
  let mayHave = false;

  function get(key: string): StoredScript | undefined {
    // Reading a missing file throws, and a hundred exceptions take as long as a hundred hits, so the folder is checked
    // first.
    mayHave ||= statSync(folder, { throwIfNoEntry: false }) !== undefined;
    if (!mayHave) return undefined;
    const path = join(folder, key);
    const bytes = readIfThere(path);
    if (bytes === undefined) return undefined;
    const script = decode(bytes);
    if (script === undefined) {
      written.delete(key);
      onDiagnostic?.(damaged(path));
    }
    return script;
  }

  function put(key: string, script: NewScript, replace: boolean): void {
    if (writable === false || (written.has(key) && !replace)) return;
    const draft = join(folder, `${key}.${randomUUID()}.draft`);
    try {
      if (writable === undefined) prepareFolder(folder);
      writable = true;
      writeFileSync(draft, encode(script), { mode: 0o600 });
      renameSync(draft, join(folder, key));
      written.add(key);
    } catch (thrown) {
      writable = false;
      discard(draft);
      onDiagnostic?.(notWritable(folder, thrown));
    }
  }

  function map(key: string): string | undefined {
    const bytes = readIfThere(join(folder, key));
    return bytes === undefined ? undefined : decode(bytes)?.map.toString();
  }

  return { get, put, map };
}

/**
 * Encodes a script as a digest of all that follows, three lengths, metadata as JSON, the script, the compiled form, and
 * the source map.
 */
function encode({ transformed: { script, ...meta }, compiled, map }: NewScript): Uint8Array {
  const head = Buffer.from(JSON.stringify(meta));
  const text = Buffer.from(script);
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  [head, text, compiled].forEach((part, index) => {
    lengths.writeUInt32LE(part.length, index * 4);
  });
  const rest = Buffer.concat([lengths, head, text, compiled, Buffer.from(map)]);
  return Buffer.concat([hash("sha256", rest, "buffer"), rest]);
}

/** V8 does not check compiled code, so every byte is checked before V8 gets it. */
function decode(bytes: Buffer): (StoredScript & { readonly map: Buffer }) | undefined {
  const rest = bytes.subarray(DIGEST_BYTES);
  if (rest.length < LENGTHS_BYTES || hash("sha256", rest, "hex") !== bytes.toString("hex", 0, DIGEST_BYTES))
    return undefined;
  const headEnd = LENGTHS_BYTES + rest.readUInt32LE(0);
  const textEnd = headEnd + rest.readUInt32LE(4);
  const compiledEnd = textEnd + rest.readUInt32LE(8);
  const meta = JSON.parse(rest.toString("utf8", LENGTHS_BYTES, headEnd)) as Omit<Transformed, "script">;
  return {
    transformed: { ...meta, script: rest.toString("utf8", headEnd, textEnd) },
    compiled: rest.subarray(textEnd, compiledEnd),
    map: rest.subarray(compiledEnd),
  };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A file that cannot be removed now stays until a later cleanup of the folder.
  }
}

/** Creates the folder and limits its size: above the limit, the older half is removed. */
function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  if (names.length <= MAX_FILES) return;
  const aged = names.map((name) => ({
    name,
    age: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  aged.sort((a, b) => a.age - b.age);
  for (const { name } of aged.slice(0, aged.length / 2)) discard(join(folder, name));
}

function damaged(path: string): Diagnostic {
  return {
    ...diagnose("UNREADABLE", { path, problem: "this entry of the module cache is damaged" }, { severity: "info" }),
    hint: "Nothing to do: the module is transformed again and the entry is replaced.",
  };
}

function notWritable(folder: string, thrown: unknown): Diagnostic {
  return {
    ...diagnose("UNREADABLE", { path: folder, problem: "" }, { severity: "warning" }),
    message: `The module cache ${folder} cannot be written: ${messageOf(thrown)}`,
    hint: "Make the folder writable; until then modules are transformed at every start.",
  };
}
