import { setTimeout as sleep } from "node:timers/promises";
import type { LiveLine } from "./api.ts";
import { WINDOW } from "./query.ts";
import type { Opened } from "./sources.ts";

/** Interval at which a file is checked, in ms. */
export const LOOK_MS = 250;
/** How long the stream may be silent before an empty line is sent, in ms. */
export const QUIET_MS = 15_000;

/** A client that reads a live stream. Slow clients are waited for. */
export interface LiveReader {
  /** Resolves when the reader can take the next line. */
  write(text: string): Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Sends the moments after a given one until the reader leaves. `find` is called at each check, since the source may be
 * replaced.
 */
export async function sendLive(
  find: () => Promise<Opened | undefined>,
  from: number,
  reader: LiveReader,
): Promise<void> {
  const first = await find();
  const { reading } = first ?? {};
  if (first === undefined || reading === undefined) return;
  const send = (line: LiveLine): Promise<void> => reader.write(`${JSON.stringify(line)}\n`);
  const changed = new Set<number>();
  const undo = reading.listen((numbers) => {
    for (const n of numbers) changed.add(n);
  });
  let sent = from;
  let told = "";
  let quietSince = performance.now();
  try {
    while (!reader.signal.aborted) {
      const opened = await find();
      if (opened?.reading !== reading) {
        await send({ kind: "gone" });
        return;
      }
      await reading.update();
      const { index } = reading;
      while (sent < index.count && !reader.signal.aborted) {
        const last = Math.min(index.count, sent + WINDOW);
        const items = Array.from({ length: last - sent }, (_, at) => index.item(sent + at + 1));
        sent = last;
        await send({ kind: "moments", total: index.count, items });
        quietSince = performance.now();
      }
      for (const n of changed) if (n <= sent) await send({ kind: "changed", item: index.item(n) });
      changed.clear();
      const state: LiveLine = {
        kind: "state",
        live: opened.source().live,
        moments: index.count,
        damaged: index.damage.damaged,
      };
      if (JSON.stringify(state) !== told) {
        told = JSON.stringify(state);
        await send(state);
        quietSince = performance.now();
      } else if (performance.now() - quietSince > QUIET_MS) {
        await reader.write("\n");
        quietSince = performance.now();
      }
      await sleep(LOOK_MS, undefined, reader).catch(() => undefined);
    }
  } finally {
    undo();
  }
}
