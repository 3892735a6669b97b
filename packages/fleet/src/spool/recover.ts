import { appendFileSync, closeSync, fsyncSync, openSync, rmSync, statSync, truncateSync } from "node:fs";
import { exclusively, isAlive } from "../kit.ts";
import { sha256 } from "../policy/key.ts";
import { MOST_CONTENT_BYTES, NOTHING, sealLine } from "./batch.ts";
import { spoolBytes, type WriterPlace, writerPlace, writersIn } from "./place.ts";
import { ackedOf, readTail, SpoolReader } from "./reader.ts";
import { MOST_SPOOL_BYTES, type SpoolOptions } from "./writer.ts";

const LF = 10;

/** How long an acknowledged batch is kept, in ms. */
export const KEEP_ACKED_MS = 24 * 60 * 60 * 1000;

/**
 * Seals all complete lines that ended writers left unsealed; returns these writers. A writer has ended if its file says
 * so, or if its process has. Writers that began under another name of this machine or in another fleet are left alone:
 * this fleet must not receive their decisions.
 */
export function recoverSpool(options: SpoolOptions): string[] {
  const { fleet, machine, folder } = options;
  return writersIn(folder).filter((writer) => {
    const place = writerPlace(folder, writer);
    return exclusively(place.seals, () => {
      const reader = new SpoolReader(place);
      const { head } = reader;
      // Without a head there is nothing to seal, because a writer writes its head first.
      if (head === undefined || head.fleet !== fleet || head.machine !== machine) return false;
      if (reader.hasEnded) return true;
      if (isAlive(head.owner)) return false;
      sealRest(place, reader, options);
      return true;
    });
  });
}

function sealRest(place: WriterPlace, reader: SpoolReader, { fleet, machine, key, clock }: SpoolOptions): void {
  const kept = reader.batches();
  const last = kept.at(-1);
  if ((statSync(place.seals, { throwIfNoEntry: false })?.size ?? 0) > reader.end) truncateSync(place.seals, reader.end);
  let from = last === undefined ? 0 : last.seal.from + last.seal.bytes;
  const start = from;
  const rest = readTail(place.recording, start);
  const end = start + rest.lastIndexOf(LF) + 1;
  let n = last?.seal.n ?? 0;
  let prev = last?.hash ?? NOTHING;
  const lines: Buffer[] = [];
  while (from < end) {
    const content = rest.subarray(from - start, Math.min(end, from + MOST_CONTENT_BYTES) - start);
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

/**
 * Removes the files of ended writers whose last batch was acknowledged: at once if that is longer ago than
 * `KEEP_ACKED_MS`, and otherwise the oldest while the spool is over half full.
 */
export function trimSpool(
  folder: string,
  {
    ended,
    now,
    mostBytes = MOST_SPOOL_BYTES,
  }: { readonly ended: readonly string[]; readonly now: number; readonly mostBytes?: number | undefined },
): void {
  // A writer's name begins with its start time, so this is oldest first.
  for (const writer of [...ended].sort()) {
    const place = writerPlace(folder, writer);
    const last = new SpoolReader(place).batches().at(-1)?.seal.n ?? 0;
    const acked = ackedOf(place).at(-1);
    if (last === 0 || acked === undefined || acked.n < last) continue;
    if (now - acked.t < KEEP_ACKED_MS && spoolBytes(folder) <= mostBytes / 2) continue;
    // `writersIn` finds a writer by its seals, so they are removed last.
    for (const path of [place.recording, place.acked, place.seals]) rmSync(path, { force: true });
  }
}
