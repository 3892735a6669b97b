import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { exclusively, isAlive } from "@hookline/runtime/internal";
import { sha256 } from "../policy/key.ts";
import { MOST_CONTENT_BYTES, NOTHING, sealLine } from "./batch.ts";
import { type WriterPlace, writerPlace, writersIn } from "./place.ts";
import { ackedOf, SpoolReader } from "./reader.ts";
import type { SpoolOptions } from "./writer.ts";

const LF = 10;

/** How long a batch is kept that the fleet has acknowledged, in ms. */
export const KEEP_ACKED_MS = 24 * 60 * 60 * 1000;

/**
 * Seals what writers left unsealed whose process has ended, so that it can be sent: all whole lines. Gives the writers
 * that have ended.
 */
export function recoverSpool(options: SpoolOptions): string[] {
  return writersIn(options.folder).filter((writer) => {
    const place = writerPlace(options.folder, writer);
    return exclusively(place.seals, () => {
      const reader = new SpoolReader(place);
      const { head } = reader;
      // Nothing can have been added before the head was written.
      if (head === undefined || isAlive(head.owner)) return false;
      sealRest(place, reader, options);
      return true;
    });
  });
}

function sealRest(place: WriterPlace, reader: SpoolReader, { fleet, machine, key, clock }: SpoolOptions): void {
  const kept = reader.batches();
  const last = kept.at(-1);
  if ((statSync(place.seals, { throwIfNoEntry: false })?.size ?? 0) > reader.end) truncateSync(place.seals, reader.end);
  const recording = readFileSync(place.recording);
  let from = last === undefined ? 0 : last.seal.from + last.seal.bytes;
  const end = recording.lastIndexOf(LF) + 1;
  let n = last?.seal.n ?? 0;
  let prev = last?.hash ?? NOTHING;
  const lines: Buffer[] = [];
  while (from < end) {
    const content = recording.subarray(from, Math.min(end, from + MOST_CONTENT_BYTES));
    n += 1;
    const about = { fleet, machine, writer: place.writer, n, prev, t: clock.wall(), from };
    const sealed = sealLine({ v: 1, ...about, bytes: content.length, sha256: sha256(content) }, key);
    lines.push(sealed.line);
    prev = sealed.hash;
    from += content.length;
  }
  if (lines.length === 0) return;
  sync(place.recording);
  appendFileSync(place.seals, Buffer.concat(lines), { flush: true });
}

function sync(path: string): void {
  const fd = openSync(path, "r+");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes the files of writers that have ended and whose last batch was acknowledged long enough ago. */
export function trimSpool(
  folder: string,
  { ended, now }: { readonly ended: readonly string[]; readonly now: number },
): void {
  for (const writer of ended) {
    const place = writerPlace(folder, writer);
    const last = new SpoolReader(place).batches().at(-1)?.seal.n ?? 0;
    const acked = ackedOf(place).at(-1);
    if (last === 0 || acked === undefined || acked.n < last || now - acked.t < KEEP_ACKED_MS) continue;
    // The seals are what a writer is found by, so they go last.
    for (const path of [place.recording, place.acked, place.seals]) rmSync(path, { force: true });
  }
}
