import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { Surroundings } from "../dialect.ts";
import type { Entry } from "./schema.ts";

/** Must change whenever the same answer is read differently. */
const READER_VERSION = 1;

/** What a plugin answered to `--schema`, with what it came to where nothing was wrong with it. */
export interface Answer {
  readonly text: string;
  readonly entries?: readonly Entry[];
}

/** The answer of one plugin in an earlier run. */
export interface Memory {
  /** `undefined` unless a plugin of these very bytes gave it (decision 47). */
  recall(): Answer | undefined;
  keep(answer: Answer): void;
}

/** By the path of the plugin. */
type Kept = Record<string, Answer & { readonly of: string }>;

/**
 * Remembers answers, those of one folder in one file, so that many plugins take one look at the disk.
 * Nothing is remembered of a plugin that cannot be read, nor without a cache.
 */
export function memoryOf(program: string, bytes: Uint8Array | undefined, around: Surroundings): Memory | undefined {
  const { cache, shared, scan } = around;
  if (bytes === undefined || cache === undefined) return undefined;
  const key = `chibi-answers-${READER_VERSION}-${hash("sha256", dirname(program))}`;
  const of = hash("sha256", bytes);
  return {
    recall() {
      const read = (shared.get(key) as Kept | undefined) ?? readKept(cache.get(key));
      shared.set(key, read);
      const known = Object.hasOwn(read, program) ? read[program] : undefined;
      return known?.of === of && isAnswer(known) ? known : undefined;
    },
    keep(answer) {
      // Another session may have added to it since.
      const left = Object.entries(readKept(cache.get(key))).filter(([path]) => scan.files.stat(path) !== undefined);
      const kept: Kept = Object.fromEntries([...left, [program, { of, ...answer }]]);
      shared.set(key, kept);
      cache.put(key, JSON.stringify(kept));
    },
  };
}

/** The cache is this program's own, so the entries need not be checked as an answer's are. */
function isAnswer({ text, entries }: Partial<Answer>): boolean {
  return typeof text === "string" && (entries === undefined || Array.isArray(entries));
}

function readKept(text: string | undefined): Kept {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Kept) : {};
  } catch {
    return {};
  }
}
