import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { readSourceSync } from "@hookline/ground/system";
import type { ScriptStore } from "./store.ts";
import type { Loader, Transformed, Transformer } from "./unit.ts";

/** A source file as it is on the disk. */
export interface SourceFile {
  readonly bytes: Buffer;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
}

/** The script of a file, and what the cache has for it. */
export interface Code {
  readonly key: string;
  readonly transformed: Transformed;
  /** From the cache; absent for a script that was transformed just now. */
  readonly compiled: Buffer | undefined;
  /** The source map of a script that was transformed just now. */
  readonly map: string | undefined;
}

/** Files and their scripts; while they are held, each is read and transformed once for all users. */
export interface Readings {
  /** The file as it is now. Throws as the file system does. */
  source(path: string): SourceFile;
  /** Its script, at once if the cache has it. Rejects with a `TransformError`. */
  code(source: SourceFile, loader: Loader): Code | Promise<Code>;
  /** Returns the undo; after the last undo nothing is kept. */
  hold(): () => void;
}

/** Creates the readings of a transport, empty. */
export function createReadings(transformer: Transformer, store: ScriptStore | undefined): Readings {
  const sources = new Map<string, { readonly state: string; readonly source: SourceFile }>();
  const codes = new Map<string, Code | Promise<Code>>();
  let holders = 0;

  function source(path: string): SourceFile {
    if (holders === 0) return readSource(path);
    const state = stateOf(path);
    const known = sources.get(path);
    if (known !== undefined && known.state === state) return known.source;
    const read = readSource(path);
    sources.set(path, { state, source: read });
    return read;
  }

  function code({ bytes, sha256 }: SourceFile, loader: Loader): Code | Promise<Code> {
    const key = `${sha256}-${loader}`;
    const found = codes.get(key) ?? stored(key) ?? transformed(key, bytes, loader);
    if (holders > 0) codes.set(key, found);
    return found;
  }

  function stored(key: string): Code | undefined {
    const script = store?.get(key);
    return script === undefined ? undefined : { key, ...script, map: undefined };
  }

  async function transformed(key: string, bytes: Buffer, loader: Loader): Promise<Code> {
    const { map, ...script } = await transformer.transform(bytes.toString(), loader);
    return { key, transformed: script, compiled: undefined, map };
  }

  function hold(): () => void {
    holders++;
    let holding = true;
    return () => {
      if (!holding) return;
      holding = false;
      if (--holders > 0) return;
      sources.clear();
      codes.clear();
    };
  }

  return { source, code, hold };
}

function readSource(path: string): SourceFile {
  const bytes = readSourceSync(path);
  return { bytes, sha256: hash("sha256", bytes) };
}

/** Changes with every change to the file, or to what is at its path. */
function stateOf(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
