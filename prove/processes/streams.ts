import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { keepEnds, keepWhole } from "../../packages/runtime/src/transport/process/output.ts";
import { call, fixture } from "../../packages/runtime/test/process/programs.ts";
import { ALL, type Experiment, type Path } from "./experiment.ts";
import { each, ground, repeat } from "./ground.ts";

const MIB = 1024 * 1024;
const SIZES = [1, 65_535, 65_536, 65_537, 5 * MIB];

/** Programs that read their input in different ways, and the output that each must produce. */
const READERS: Readonly<Record<string, { readonly command: Parameters<typeof call>[0]; says(size: number): RegExp }>> =
  {
    "never reads": { command: "echo answered", says: () => /^answered\n$/ },
    closes: { command: fixture("close-stdin.sh"), says: () => /^answered\n$/ },
    "reads late": { command: "sleep 0.2; wc -c", says: (size) => new RegExp(`^${size}\n$`) },
    "writes first": { command: fixture("write-first.sh"), says: (size) => new RegExp(`^x{200000}${size}\n$`) },
  };

/** R7: input that a program does not read, or not at once, causes no failure and no hang. */
const unreadInputIsNormal: Experiment = {
  id: "R7",
  paths: ALL,
  async run(tally, { path, full }) {
    await using here = ground(path);
    const trials = Object.entries(READERS).flatMap(([name, reader]) => SIZES.map((size) => ({ name, reader, size })));
    await each(repeat(trials, full ? 25 : 1), 4, async ({ name, reader, size }) => {
      const report = await here.transport.run(call(reader.command, { stdin: Buffer.alloc(size, "x") }));
      const fine = report.status === "exited" && reader.says(size).test(report.stdout);
      tally.trial(fine ? undefined : `${name}, ${size} bytes: ${report.status}`);
    });
  },
};

interface Flood {
  readonly name: string;
  readonly command: object;
  readonly count: number;
  readonly status: string;
  readonly maxStdoutBytes?: number;
  /** The memory that the caps themselves allow, in MiB, if that is most of the growth. */
  readonly held?: number;
}

const YES = { file: "yes", args: [] };
const FLOODS: readonly Flood[] = [
  { name: "endless output", command: YES, count: 1, status: "over-limit" },
  { name: "64 MiB of errors", command: fixture("flood-stderr.sh"), count: 1, status: "exited" },
  { name: "8 at once, of 1 MiB", command: YES, count: 8, maxStdoutBytes: MIB, status: "over-limit" },
  { name: "8 at once, of 8 MiB for answers", command: YES, count: 8, status: "over-limit", held: 64 },
];
/** How much the host may grow during a flood, in MiB, in addition to half of what the caps allow to be held. */
const GROWTH_MIB = 64;
const BESIDE_HELD_MIB = 32;

/** R8: output is capped, that is reported, and it costs the host little memory. */
const outputIsCapped: Experiment = {
  id: "R8",
  paths: ALL,
  async run(tally, { path, full }) {
    for (const one of FLOODS) {
      const grown: number[] = [];
      const most = one.held === undefined ? GROWTH_MIB : one.held + BESIDE_HELD_MIB;
      for (let round = 0; round < (full ? 5 : 1); round++) {
        const { statuses, grownMiB } = await flood(path, one);
        grown.push(grownMiB);
        for (const status of statuses) tally.trial(status === one.status ? undefined : `${one.name}: ${status}`);
        tally.trial(grownMiB < most ? undefined : `${one.name}: the host grew by ${grownMiB} MiB`);
      }
      tally.figure(`${one.name}: +${Math.max(...grown)} MiB`);
    }
  },
};

async function flood(
  path: Path,
  { command, count, maxStdoutBytes }: Flood,
): Promise<{ readonly statuses: readonly string[]; readonly grownMiB: number }> {
  const program = fileURLToPath(new URL("./flood-host.ts", import.meta.url));
  const options = JSON.stringify({ path, command, count, limits: { maxStdoutBytes } });
  const { stdout } = await promisify(execFile)(process.execPath, [program, options]);
  return JSON.parse(stdout) as { statuses: string[]; grownMiB: number };
}

/** Invalid UTF-8 that must not become a decision, as arguments of `printf`. */
const INVALID: readonly string[] = [
  "\\200",
  "a\\277",
  "\\300\\257",
  "\\301\\277",
  "\\340\\200\\257",
  "\\340\\237\\277",
  "\\360\\200\\200\\257",
  "\\360\\217\\277\\277",
  "\\355\\240\\200",
  "\\355\\277\\277",
  "\\355\\240\\275\\355\\270\\200",
  "\\364\\220\\200\\200",
  "\\365\\200\\200\\200",
  "\\370\\210\\200\\200\\200",
  "\\376",
  "\\377\\376{\\000}\\000",
  "{\\342\\202}",
  "\\342\\202",
  "\\360\\237\\230",
  '{"a":"\\351"}',
];

/** R9: bytes are decoded once, in whatever chunks they arrive; invalid UTF-8 is reported as such. */
const bytesAreDecodedOnce: Experiment = {
  id: "R9",
  paths: ALL,
  async run(tally, { path, full }) {
    let splits = 0;
    const strings = full ? 1000 : 200;
    for (let trial = 0; trial < strings; trial++) {
      const text = randomText();
      const bytes = Buffer.from(text);
      let problem: string | undefined;
      for (let at = 0; at <= bytes.length; at++, splits++) problem ??= splitAt(bytes, at, text);
      tally.trial(problem);
    }
    await using here = ground(path);
    for (const bytes of INVALID) {
      const report = await here.transport.run(call(`printf '${bytes}'`));
      tally.trial(report.stdoutValid ? `${bytes} counts as UTF-8` : undefined);
    }
    await each(repeat([0], full ? 100 : 20), 4, async () => {
      // A line of JSON goes in, and the same line comes out in chunks of one byte.
      const line = `${JSON.stringify({ text: randomText() })}\n`;
      const report = await here.transport.run(call("dd bs=1 2>/dev/null", { stdin: line }));
      tally.trial(report.stdoutValid && report.stdout === line ? undefined : "a line came back changed");
    });
    tally.figure(`${strings} texts at all ${splits} places, ${INVALID.length} invalid encodings`);
  },
};

function splitAt(bytes: Buffer, at: number, text: string): string | undefined {
  const whole = keepWhole(1000);
  const ends = keepEnds(4000);
  for (const part of [bytes.subarray(0, at), bytes.subarray(at)]) {
    whole.push(part);
    ends.push(part);
  }
  const read = whole.text();
  if (read.text !== text || !read.valid) return `split at ${at}, an output reads differently`;
  return ends.text() === text ? undefined : `split at ${at}, an error output reads differently`;
}

const ALPHABET = ["a", "é", "€", "漢", "😀", "\u0301", "\ufeff", "\n", '"', "\\", "\u2028", "\0", "\u{10ffff}"];

function randomText(): string {
  const length = 1 + Math.floor(Math.random() * 24);
  return Array.from({ length }, () => ALPHABET[Math.floor(Math.random() * ALPHABET.length)]).join("");
}

export const streams: readonly Experiment[] = [unreadInputIsNormal, outputIsCapped, bytesAreDecodedOnce];
