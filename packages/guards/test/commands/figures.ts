import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../../../../scripts/command-line.ts";
import { judge } from "../../src/commands/judge.ts";
import { loadSecrets } from "../../src/secrets/secrets.ts";
import { CORPUS, INDEPENDENT, type Row } from "./corpus.ts";
import { fixture, MORE } from "./fixture.ts";

commandLine({
  name: "dev -- guards",
  says: "Judges both corpora of commands with hookline's guards and with cc-safety-net, and prints what each stops.",
});

const shareOf = (count: number, rows: number): string => `${((100 * count) / rows).toFixed(1)} %`.padStart(8);

interface Count {
  rows: number;
  own: number;
  other: number;
}

// cc-safety-net reads its policy in the home folder: an empty one gives its defaults.
process.env["HOME"] = mkdtempSync(join(tmpdir(), "guards-home-"));
const { checkCommand } = await import("cc-safety-net/api");

const secrets = await loadSecrets();
let slowest = 0;

async function print(title: string, rows: readonly Row[], more: Readonly<Record<string, string>>): Promise<void> {
  const made = fixture("dirty", more);
  const groups = new Map<string, Count>();
  for (const { group, expect, command } of rows) {
    const key = `${group} (${expect})`;
    const count = groups.get(key) ?? { rows: 0, own: 0, other: 0 };
    groups.set(key, count);
    count.rows += 1;
    const started = performance.now();
    const { verdict, effects } = await judge(command, {
      project: made.project,
      home: made.home,
      gitTimeoutMs: 60_000,
    });
    if (effects.length === 0) slowest = Math.max(slowest, performance.now() - started);
    const isStopped = verdict === "ask" || verdict === "deny";
    if (isStopped || (rows === INDEPENDENT && secrets.command(command) !== undefined)) count.own += 1;
    if (checkCommand({ command, cwd: made.project }).kind === "deny") count.other += 1;
  }
  made.remove();
  process.stdout.write(
    `${title}\n${"stopped, of".padEnd(26)}${"rows".padStart(6)}${"hookline".padStart(10)}${"cc-safety-net".padStart(15)}\n`,
  );
  const line = (name: string, { rows, own, other }: Count): void =>
    void process.stdout.write(
      `${name.padEnd(26)}${String(rows).padStart(6)}${shareOf(own, rows).padStart(10)}${shareOf(other, rows).padStart(15)}\n`,
    );
  for (const [name, count] of groups) line(name, count);
  for (const end of ["(stop)", "(pass)"]) {
    const all = { rows: 0, own: 0, other: 0 };
    for (const [name, count] of groups)
      if (name.endsWith(end)) for (const key of ["rows", "own", "other"] as const) all[key] += count[key];
    line(`all ${end}`, all);
  }
}

await print("Corpus of the guard's authors", CORPUS, {});
await print("\nIndependent corpus, with the guard of secrets", INDEPENDENT, MORE);
process.stdout.write(`longest judgement without an effect: ${slowest.toFixed(1)} ms\n`);
