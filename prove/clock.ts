import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "./claim.ts";
import { findingOf, type Tally } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";
import { runHost } from "./stage/modules.ts";

/** The path at which Debian's package `faketime` installs its library. */
const LIBRARIES = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(
  (place) => `/usr/lib/${place}/faketime/libfaketimeMT.so.1`,
);
const JUMPS = ["+1h", "-1h", "+1d", "-1d", "-10y"];
const HOST = join(import.meta.dirname, "clock", "host.ts");
/** Interval at which the wall clock jumps while a host runs, in ms. */
const EVERY_MS = 60;

/** R42: the wall clock jumps while hooks run, and every decision stays the same. */
async function jumps(tally: Tally, { full }: { readonly full: boolean }): Promise<void> {
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library === undefined) {
    tally.skip("libfaketime is not installed");
    return;
  }
  const calm = await runHost<readonly string[]>(HOST, []);
  if (calm.printed === undefined) throw new Error(`without jumps the host ended with ${calm.code}: ${calm.stderr}`);
  const wanted = calm.printed.map((line) => line.replace(/ at \d+$/, ""));
  const years = new Set<number>();
  for (let round = 0; round < (full ? 10 : 1); round++) {
    for (const jump of full ? JUMPS : JUMPS.slice(-2)) {
      using home = folder();
      const stamp = join(home.path, "offset");
      writeFileSync(stamp, "+0\n");
      let turn = 0;
      const jumping = setInterval(() => writeFileSync(stamp, turn++ % 2 === 0 ? `${jump}\n` : "+0\n"), EVERY_MS);
      const env = {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: stamp,
        FAKETIME_NO_CACHE: "1",
        DONT_FAKE_MONOTONIC: "1",
        FAKETIME_DONT_RESET: "1",
      };
      const { code, printed, stderr } = await runHost<readonly string[]>(HOST, [], env);
      clearInterval(jumping);
      if (printed === undefined) {
        tally.trial(`a jump of ${jump} ended the host with ${code}: ${stderr.slice(0, 200)}`);
        continue;
      }
      for (const line of printed) years.add(new Date(Number(/ at (\d+)$/.exec(line)?.[1])).getUTCFullYear());
      for (const [i, line] of wanted.entries()) {
        const found = printed[i]?.replace(/ at \d+$/, "");
        tally.trial(found === line ? undefined : `with a jump of ${jump}: ${found} instead of ${line}`);
      }
    }
  }
  tally.trial(years.size > 1 ? undefined : "no host has seen the clock jump");
  tally.figure(
    `jumps of ${JUMPS.join(", ")}, to and fro every ${EVERY_MS} ms; hosts have seen the years ${[...years].sort().join(", ")}`,
  );
}

export const claim: Claim = {
  name: "clock",
  says: "jumps of the wall clock change no decision and no time limit (R42)",
  run: (size) => findingOf([{ id: "R42", run: jumps }], size),
};
