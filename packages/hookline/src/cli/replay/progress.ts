import type { Io } from "../../io/io.ts";

/** How far a replay has come. */
export interface Progress {
  tell(done: { readonly moments: number; readonly bytes: number }): void;
  end(): void;
}

const BAR = 24;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;

/** Reports progress on stderr: a bar on a terminal, otherwise a line every 10 s. */
export function progressOf(io: Io, bytes: number, isTerminal: boolean, now: () => number = Date.now): Progress {
  const start = now();
  let told = start;
  let isShown = false;
  return {
    tell(done) {
      const t = now();
      if (t - told < (isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      told = t;
      const line = progressText(done, bytes, t - start);
      if (isTerminal) {
        io.err(`\r\x1b[2K${line}`);
        isShown = true;
      } else io.err(`${line}\n`);
    },
    end: () => isShown && io.err("\r\x1b[2K"),
  };
}

/** The bar with the share that has been read, the rate and the time left. */
export function progressText(
  done: { readonly moments: number; readonly bytes: number },
  all: number,
  ms: number,
): string {
  const share = all === 0 ? 1 : Math.min(1, done.bytes / all);
  const filled = Math.round(share * BAR);
  const rate = Math.round(done.moments / Math.max(ms / 1000, 0.001));
  const left = share > 0 ? Math.round((ms / share - ms) / 1000) : undefined;
  const bar = `${"█".repeat(filled)}${"░".repeat(BAR - filled)}`;
  return `${bar} ${Math.round(share * 100)} %  ${done.moments} moments, ${rate}/s${left === undefined ? "" : `, ${left} s left`}`;
}
