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
  /** Its recording: a file with what could be verified, at the bytes at which the writer had it. */
  readonly path: string;
}

/** The decisions in a fleet's stream. */
export interface Collection {
  readonly recordings: readonly Collected[];
  readonly batches: number;
  /** Writers whose first batches the stream has removed because of their age. */
  readonly expired: number;
  readonly faults: readonly Fault[];
  /** Removes the files. */
  close(): void;
}

/**
 * Reads the stream of decisions, verifies each batch, and puts the recordings of its writers together in a private
 * folder. What cannot be verified is told in `faults` and left out. Rejects if the server does not answer.
 */
export async function collectDecisions(
  bus: Bus,
  fleet: Pick<FleetPart, "fleet" | "account" | "signers">,
  machine?: string,
): Promise<Collection> {
  const folder = mkdtempSync(join(tmpdir(), "hookline-fleet-audit-"));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  const verifier = new Verifier(fleet.fleet, enrolledKeys(fleet), await firstSeq(bus, fleet.fleet));
  const recordings = new Map<string, Collected>();
  const tooLong: Fault[] = [];
  try {
    for await (const stored of storedIn(bus, fleet.fleet, machine)) {
      const batch = verifier.take(stored);
      if (batch === undefined) continue;
      const { seal } = batch;
      if (seal.from + seal.bytes > MOST_SPOOL_BYTES) {
        const message = `batch ${seal.n} of ${seal.writer} begins behind byte ${MOST_SPOOL_BYTES}`;
        tooLong.push({ kind: "broken", subject: stored.subject, seq: stored.seq, message });
        continue;
      }
      const path = join(folder, `${seal.machine}.${seal.writer}.jsonl`);
      recordings.set(path, { machine: seal.machine, writer: seal.writer, path });
      put(path, batch);
    }
  } catch (thrown) {
    close();
    throw thrown;
  }
  const { batches, expired, faults } = verifier;
  return { recordings: [...recordings.values()], batches, expired, faults: [...faults, ...tooLong], close };
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
