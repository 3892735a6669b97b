import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson } from "@hookline/runtime/internal";
import type { Bus } from "../link/bus.ts";
import { namesOf } from "../name/subjects.ts";
import type { FleetPart } from "../sign/creds.ts";
import type { Batch } from "../spool/batch.ts";
import { MOST_SPOOL_BYTES } from "../spool/writer.ts";
import { enrolledKeys } from "./keys.ts";
import { storedIn } from "./read.ts";
import { type Fault, Verifier } from "./verify.ts";

/** What one writer has sent, put together again. */
export interface Collected {
  readonly machine: string;
  readonly writer: string;
  /** Where its batches are in the stream. */
  readonly subject: string;
  /** Its recording: a file with what could be verified, at the bytes at which the writer had it. */
  readonly path: string;
  /** When its last batch was sealed, in epoch ms. */
  readonly to: number;
  /** Whether the stream has removed its first batches because of their age. */
  readonly isExpired: boolean;
}

/** The decisions in a fleet's stream. */
export interface Collection {
  readonly fleet: string;
  readonly recordings: readonly Collected[];
  readonly batches: number;
  readonly faults: readonly Fault[];
  /** Removes the files. */
  close(): void;
}

/** Which decisions are read. */
export interface Wanted {
  /** Those of one machine; default all. */
  readonly machine?: string | undefined;
  /** Ends the reading early; what was read by then is all there is. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads the stream of decisions, verifies each batch, and puts the recordings of its writers together in a private
 * folder. What cannot be verified is told in `faults` and left out. Rejects if the server does not answer.
 */
export async function collectDecisions(
  bus: Bus,
  fleet: Pick<FleetPart, "fleet" | "account" | "signers">,
  { machine, signal }: Wanted = {},
): Promise<Collection> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-fleet-audit-"));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  const recordings = new Map<string, Collected>();
  const tooLong: Fault[] = [];
  try {
    const verifier = new Verifier(fleet.fleet, enrolledKeys(fleet), await firstSeq(bus, fleet.fleet));
    for await (const stored of storedIn(bus, fleet.fleet, machine)) {
      if (signal?.aborted === true) break;
      const batch = verifier.take(stored);
      if (batch === undefined) continue;
      const { subject } = stored;
      const { machine: from, writer, n, t, ...seal } = batch.seal;
      if (seal.from + seal.bytes > MOST_SPOOL_BYTES) {
        const message = `batch ${n} of ${writer} begins behind byte ${MOST_SPOOL_BYTES}`;
        tooLong.push({ kind: "broken", subject, seq: stored.seq, message });
        continue;
      }
      const path = join(folder, `${from}.${writer}.jsonl`);
      const isExpired = verifier.expired.has(subject);
      recordings.set(path, { machine: from, writer, subject, path, to: t, isExpired });
      put(path, batch);
    }
    const { batches, faults } = verifier;
    return {
      fleet: fleet.fleet,
      recordings: [...recordings.values()],
      batches,
      faults: [...faults, ...tooLong],
      close,
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

function put(path: string, { seal, content }: Batch): void {
  const fd = openSync(path, "a+", 0o600);
  closeSync(fd);
  const file = openSync(path, "r+");
  try {
    for (let done = 0; done < content.length; )
      done += writeSync(file, content, done, content.length - done, seal.from + done);
  } finally {
    closeSync(file);
  }
}

/** The number of the oldest message that the stream still has. */
async function firstSeq(bus: Bus, fleet: string): Promise<number> {
  const { stream } = namesOf(fleet);
  const reading = readJson((await bus.request(`$JS.API.STREAM.INFO.${stream}`, new Uint8Array())).data);
  const info = (reading.ok ? reading.value : undefined) as { readonly state?: { readonly first_seq?: unknown } } | null;
  const first = info?.state?.first_seq;
  if (typeof first === "number") return first;
  throw new Error(`the server has no stream ${stream}; \`hookline fleet root publish\` makes it`);
}
