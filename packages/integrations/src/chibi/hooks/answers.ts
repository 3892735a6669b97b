import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { Surroundings } from "@hookline/runtime/dialect";
import { sharedOf } from "@hookline/runtime/engine";
import type { Reads } from "./delivery.ts";
import type { Entry } from "./schema.ts";

/** Must change whenever the same answer or program is read differently. */
const READER_VERSION = 4;

/** A plugin's answer to `--schema`, with the parsed result if it had no problems. */
export interface Answer {
  readonly text: string;
  readonly entries?: readonly Entry[];
  /** The ways in which the program takes its data, found in its bytes. */
  readonly reads: Reads;
}

/** The answer of one plugin in an earlier run. */
export interface Memory {
  /** `undefined` unless a plugin with exactly these bytes gave it (decision 47). */
  recall(): Answer | undefined;
  keep(answer: Answer): void;
}

/** The cache entry of one folder. */
interface Folder {
  readonly key: string;
  /** Absent until it is first asked for. */
  kept?: Kept;
}

/** By the path of the plugin. */
type Kept = Record<string, Answer & { readonly of: string }>;

/**
 * Caches answers, those of one folder in one file, so that many plugins need one disk read. Nothing is cached for an
 * unreadable plugin, or without a cache.
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
      // Another session may have added to it since.
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

/** The cache is this program's own, so its entries need no check like an answer's. */
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
