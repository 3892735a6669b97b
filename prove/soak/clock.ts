import { existsSync, writeFileSync } from "node:fs";

const LIBRARIES = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(
  (arch) => `/usr/lib/${arch}/faketime/libfaketimeMT.so.1`,
);

/** The wall clock of another process, which can be set while it runs. The monotonic clock does not change. */
export interface WallClock {
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock's offset from the real one, such as `+1d` or `-10y`. */
  set(offset: string): void;
}

/** Makes a settable wall clock, whose offset is stored in a file; `undefined` if libfaketime is not installed. */
export function wallClock(file: string): WallClock | undefined {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) return undefined;
  const set = (offset: string): void => writeFileSync(file, `${offset}\n`);
  set("+0");
  return {
    set,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    },
  };
}
