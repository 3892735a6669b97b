import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bin, Workplace } from "../support/cli.ts";
import { onTerminal } from "../support/on-terminal.ts";
import { has } from "../support/seeds.ts";

/** Finding, reading and linking a file costs more than running it, so a launch loads few (`scripts/launch-chunk.ts`). */
const MOST_FILES = 16;

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});
afterEach(() => place.remove());

/** Checks the files of the package that a run has loaded, from Node's report of what was covered. */
function expectCheap(folder: string, main: string): void {
  const reports = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const urls: string[] = reports.flatMap(({ result }) => result.map(({ url }: { readonly url: string }) => url));
  const files = [...new Set(urls.filter((url) => url.includes("/packages/hookline/")))];
  expect(files).toContainEqual(expect.stringContaining(`/dist/${main}`));
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MOST_FILES);
  // One character beyond Latin-1 doubles the memory of a file's source.
  const beyond = files.filter((url) => readFileSync(new URL(url)).some((byte) => byte > 127));
  expect(beyond).toEqual([]);
}

test("a prompt loads few files before its answer", async () => {
  const script = place.write("~/script.json", JSON.stringify({ replies: [{ text: "Fine." }] }));
  const covered = join(place.top, "covered");
  const { code, out } = await place.run(["--script", script, "-p", "hi"], { env: { NODE_V8_COVERAGE: covered } });
  expect([code, out]).toEqual([0, "Fine.\n"]);
  expectCheap(covered, "launch.js");
});

test.skipIf(!has("python3"))("the screen loads few files", async () => {
  const script = place.write("~/script.json", JSON.stringify({ replies: [{ text: "Fine." }] }));
  const covered = join(place.top, "covered");
  const { done } = await onTerminal(place, [["Model: script", "\u0004"]], ["--script", script], {
    NODE_V8_COVERAGE: covered,
  });
  expect(done).toEqual(["Model: script"]);
  expectCheap(covered, "interactive.js");
});

test.skipIf(process.platform !== "linux")("too little address space is named before V8 runs out of it", () => {
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-c", 'ulimit -v 1300000; exec "$0" "$1" --version', process.execPath, bin],
    { encoding: "utf8", env: { HOME: place.home, PATH: process.env["PATH"] ?? "" } },
  );
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("`ulimit -v` allows 1300000 KiB. Raise it:");
});
