import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { readSourceSync } from "@hookline/ground/system";
import type { ScriptStore } from "./store.ts";
import type { Loader, Transformed, Transformer } from "./unit.ts";

/** The content of a source file on disk. */
export interface SourceFile {
  readonly bytes: Buffer;
  /** The SHA-256 of the bytes in hex. */
  readonly sha256: string;
}

/** The script of a file, with what the cache has for it. */
export interface Code {
  readonly key: string;
  readonly transformed: Transformed;
  /** V8's compiled form from the cache; absent for a script that was just transformed. */
  readonly compiled: Buffer | undefined;
  /** The source map of a script that was just transformed. */
  readonly map: string | undefined;
}

/** Reads files and their scripts. While a `hold` is open, each is read and transformed once, for all loads. */
export interface Readings {
  /** Returns the file's present content. Throws like the file system. */
  source(path: string): SourceFile;
  /** Returns a file's script, synchronously if the cache has it. Rejects with a `TransformError`. */
  code(source: SourceFile, loader: Loader): Code | Promise<Code>;
  /** Caches what is read until every function that `hold` has returned was called. */
  hold(): () => void;
}

/** Creates the reader that all loads of a transport share; `store` is the cache on disk. */
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

/** Returns a text that changes whenever the file changes, or the path leads to another file. */
function stateOf(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
