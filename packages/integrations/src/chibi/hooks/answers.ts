import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { Surroundings } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import type { Reads } from "./delivery.ts";
import type { Entry } from "./schema.ts";

/** Part of the cache key. Increase it whenever the same answer or program would be read differently. */
const READER_VERSION = 4;

/** A plugin's answer to `--schema`, with the parsed result if it had no problems. */
export interface Answer {
  readonly text: string;
  readonly entries?: readonly Entry[];
  /** The ways in which the program takes its data, found by searching its bytes. */
  readonly reads: Reads;
}

/** The cached answer of one plugin, from an earlier run. */
export interface Memory {
  /** Returns the cached answer; `undefined` if the plugin's bytes have changed since it was cached (ruling 47). */
  recall(): Answer | undefined;
  keep(answer: Answer): void;
}

/** The cache entry for one folder of plugins. */
interface Folder {
  readonly key: string;
  /** The folder's cached answers; absent until the first `recall` or `keep` reads them. */
  kept?: Kept;
}

/** The cached answers of a folder, by the plugin's path. `of` is the SHA-256 of the plugin's bytes. */
type Kept = Record<string, Answer & { readonly of: string }>;

/**
 * Caches plugins' answers. All answers of one folder share a cache entry, so many plugins need only one disk read.
 * Returns `undefined` if the plugin cannot be read or there is no cache.
 */
export function memoryOf(program: string, bytes: Uint8Array | undefined, around: Surroundings): Memory | undefined {
  const { cache, shared, scan } = around;
  if (bytes === undefined || cache === undefined) return undefined;
  const folder = folderOf(program, shared);
  const of = hash("sha256", bytes);
  return {
    recall() {
      folder.kept ??= readKept(cache.get(folder.key));
      const known = Object.hasOwn(folder.kept, program) ? folder.kept[program] : undefined;
      return known?.of === of && isAnswer(known) ? known : undefined;
    },
    keep(answer) {
      // Reads the folder's cache entry again, since another session may have written to it.
      const left = Object.entries(readKept(cache.get(folder.key))).filter(
        ([path]) => scan.files.stat(path) !== undefined,
      );
      folder.kept = Object.fromEntries([...left, [program, { of, ...answer }]]);
      cache.put(folder.key, JSON.stringify(folder.kept));
    },
  };
}

function folderOf(program: string, shared: Surroundings["shared"]): Folder {
  const path = dirname(program);
  const key = `chibi-answers-${READER_VERSION}-${hash("sha256", path)}`;
  return sharedOf(shared, `chibi.answers:${path}`, (): Folder => ({ key }));
}

/** Checks a cached answer only roughly: hookline itself wrote the cache. */
function isAnswer({ text, entries, reads }: Partial<Answer>): boolean {
  return (
    typeof text === "string" && typeof reads?.stdin === "boolean" && (entries === undefined || Array.isArray(entries))
  );
}

function readKept(text: string | undefined): Kept {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Kept) : {};
  } catch {
    return {};
  }
}
