import type { ExecFileException } from "node:child_process";
import { execFileSync } from "node:child_process";
import { afterAll, expect, test, vi } from "vitest";
import { judge } from "../../src/commands/judge.ts";
import { loadSecrets } from "../../src/secrets/secrets.ts";
import { CORPUS, INDEPENDENT, type Row, STATES } from "./corpus.ts";
import { type Fixture, fixture, MORE } from "./fixture.ts";

type Answer = (error: ExecFileException | null, stdout: string) => void;

/**
 * Runs git once for each question about a folder. Judging changes nothing, so two thousand commands get the same answers
 * from a few hundred runs.
 */
vi.mock(import("node:child_process"), async (original) => {
  const real = await original();
  const answers = new Map<string, Promise<Parameters<Answer>>>();
  const execFile = (file: string, args: readonly string[], options: { readonly cwd: string }, done: Answer): void => {
    const question = JSON.stringify([file, args, options.cwd]);
    let answer = answers.get(question);
    if (answer === undefined) {
      answer = new Promise((resolve) =>
        real.execFile(file, args, options, (error, stdout) => resolve([error, String(stdout)])),
      );
      answers.set(question, answer);
    }
    void answer.then(([error, stdout]) => done(error, stdout));
  };
  return { ...real, execFile: execFile as unknown as typeof real.execFile };
});

const dirty = fixture("dirty");
const full = fixture("dirty", MORE);
const secrets = await loadSecrets();
afterAll(() => {
  dirty.remove();
  full.remove();
});

/** The rows by hand, and some of the other spellings; `npm run dev -- guards` judges all. */
const SAMPLE = CORPUS.filter(({ isSpelled }, at) => !isSpelled || at % 6 === 0);

/** Commands that the guards are known to judge wrongly, each with its reason. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ["BASH_ENV=<(echo 'rm -rf src') bash -c true", "the file of a variable that is a substitution is not followed"],
  ["ed -s notes.txt <<< $',d\nw'", "commands of editors are not read"],
  ["LESSOPEN='|rm -rf src' less README.md", "the input filter of less has a syntax of its own"],
  ["find src -type f -exec sh -c '> \"$1\"' _ {} \\;", "a redirection to a computed file passes"],
  ["install -m755 <(echo 'rm -rf src') x.sh; ./x.sh", "a copy of a substitution is not followed"],
  ["dd of=x.sh <<< 'rm -rf src'; sh x.sh", "a file that dd writes is not followed"],
  ["printf ',d\\nw\\nq\\n' | ed -s notes.txt", "commands of editors are not read"],
  ["docker push acme/shop:latest", "an image that loses its tag stays in the registry by its digest"],
  ["set -x; source .env", "what a trace of the shell prints is not followed"],
  ['eval "echo $((1+1))"', "arithmetic is not reckoned, and what eval runs is asked about where it is not known"],
]);

async function isStopped(command: string, { project, home }: Fixture): Promise<boolean> {
  const { verdict } = await judge(command, { project, home, gitTimeoutMs: 60_000 });
  return verdict === "ask" || verdict === "deny";
}

/** Returns the rows that are judged otherwise than they should be, or than the register says. */
async function wrongOf(rows: readonly Row[], judged: (command: string) => Promise<boolean>): Promise<string[]> {
  const wrong: string[] = [];
  const one = async ({ command, expect: due }: Row): Promise<void> => {
    const isRight = (await judged(command)) === (due === "stop");
    if (isRight === KNOWN.has(command)) wrong.push(`${due}: ${command}`);
  };
  for (let at = 0; at < rows.length; at += 4) await Promise.all(rows.slice(at, at + 4).map(one));
  return wrong;
}

for (const group of new Set(SAMPLE.map((row) => row.group)))
  test(`judges every row of ${group} as it should`, { timeout: 300_000 }, async () => {
    const rows = SAMPLE.filter((row) => row.group === group);
    expect(await wrongOf(rows, (command) => isStopped(command, dirty))).toEqual([]);
  });

for (const group of new Set(INDEPENDENT.map((row) => row.group)))
  test(`judges every independent row of ${group} as it should`, { timeout: 300_000 }, async () => {
    const rows = INDEPENDENT.filter((row) => row.group === group);
    const judged = async (command: string): Promise<boolean> =>
      secrets.command(command) !== undefined || (await isStopped(command, full));
    expect(await wrongOf(rows, judged)).toEqual([]);
  });

test("judges a command by the state of its folder", { timeout: 300_000 }, async () => {
  const clean = fixture("clean");
  const wrong: string[] = [];
  const one = async ({ command, setup, expect: due }: (typeof STATES)[number]): Promise<void> => {
    const copy = clean.copy();
    const env = { PATH: process.env["PATH"] ?? "", HOME: copy.home };
    execFileSync("bash", ["-c", setup], { cwd: copy.project, env, stdio: "ignore" });
    if ((await isStopped(command, copy)) !== (due === "stop")) wrong.push(`${due}: ${command} after ${setup}`);
    copy.remove();
  };
  for (let at = 0; at < STATES.length; at += 4) await Promise.all(STATES.slice(at, at + 4).map(one));
  clean.remove();
  expect(wrong).toEqual([]);
});
