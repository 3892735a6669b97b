import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../packages/ground/src/error/error.ts";
import { bound95, type Claim, type Finding } from "../prove/claim.ts";
import { commandLine } from "./command-line.ts";
import { type Result, writeCard } from "./report-card.ts";
import { root } from "./step.ts";
import { strayed, takeHome } from "./test-home.ts";

const known = readdirSync(join(root, "prove"))
  .filter((name) => name.endsWith(".ts") && name !== "claim.ts")
  .map((name) => name.slice(0, -3));
const { values, words, refuse } = commandLine({
  name: "prove",
  says: "Tests the promises by experiment.",
  options: {
    json: { type: "boolean", says: "the findings as JSON" },
    quick: { type: "boolean", says: "run each at its small size" },
    minutes: { type: "string", value: "N", says: "duration of an experiment that runs for a given time" },
    jobs: { type: "string", value: "N", says: "how many run in parallel, each in its own process" },
    card: { type: "boolean", says: "put the findings on the report card" },
  },
  words: { called: "NAME", says: "only these experiments", known },
});
const minutes = Number(values.minutes ?? 1);
if (!(minutes > 0)) refuse(`--minutes wants a number above 0, not "${values.minutes}".`);
const jobs = Number(values.jobs ?? 1);
if (!(Number.isInteger(jobs) && jobs > 0)) refuse(`--jobs wants a whole number above 0, not "${values.jobs}".`);
if (jobs > 1 && values.card) refuse("--card wants an idle machine: leave --jobs out.");
const given = values.minutes === undefined ? {} : { minutes };
const names = known.filter((name) => words.length === 0 || words.includes(name));
const leaveHome = takeHome();
const results: Result[] = [];
const waiting = [...names];
await Promise.all(Array.from({ length: jobs }, work));
if (values.card) writeCard(results, ["npm run prove --", ...process.argv.slice(2)].join(" "));
if (values.json) process.stdout.write(`${JSON.stringify({ claims: results.map(claimed) })}\n`);
const touched = leaveHome();
if (touched.length > 0) process.stderr.write(`${strayed(touched)}\n`);
process.exitCode = results.every(({ violations }) => violations === 0) && touched.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const result = await (jobs === 1 ? experiment(name) : apart(name));
    results.push(result);
    if (!values.json) process.stdout.write(lines(result));
  }
}

async function experiment(name: string): Promise<Result> {
  const { claim } = (await import(join(root, "prove", `${name}.ts`))) as { claim: Claim };
  const started = performance.now();
  const finding = await claim.run(values.quick ? "quick" : "full", given).catch(broken);
  return {
    name: claim.name,
    says: claim.says,
    n: finding.n,
    violations: finding.violations,
    bound95: bound95(finding),
    seconds: Math.round((performance.now() - started) / 100) / 10,
    notes: finding.notRun === undefined ? finding.notes : [`not run: ${finding.notRun}`],
  };
}

/** Runs an experiment in its own process, whose errors are printed if it fails. */
function apart(name: string): Promise<Result> {
  const options = [...(values.quick ? ["--quick"] : []), ...(values.minutes ? ["--minutes", values.minutes] : [])];
  const args = [...process.execArgv, import.meta.filename, name, "--json", ...options];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error !== null) process.stderr.write(stderr);
      const last = stdout.trim().split("\n").at(-1) ?? "";
      try {
        const [claim] = (JSON.parse(last) as { claims: ReturnType<typeof claimed>[] }).claims;
        if (claim === undefined) throw new Error("it printed no finding");
        // Changes in the real home folder do not disprove the claim, but must fail the run anyway.
        const strays = error !== null && claim.ok ? 1 : 0;
        resolve({
          ...claim,
          violations: claim.violations + strays,
          notes: claim.note === undefined ? [] : [claim.note],
        });
      } catch (thrown) {
        const { notes, ...finding } = broken(error ?? thrown);
        resolve({ name, says: "broke off", ...finding, bound95: 1, seconds: 0, notes });
      }
    });
  });
}

/** Returns a result as `--json` prints it. */
function claimed({
  notes,
  ...result
}: Result): Omit<Result, "notes"> & { readonly ok: boolean; readonly note?: string } {
  return { ...result, ok: result.violations === 0, ...(notes.length > 0 && { note: notes.join("; ") }) };
}

function lines({ name, says, n, violations, seconds, notes }: Result): string {
  const state = violations === 0 ? "kept    " : "VIOLATED";
  const first = `${state}  ${name.padEnd(14)} ${violations} of ${n} (${seconds} s): ${says}\n`;
  return first + notes.map((line) => `            ${line}\n`).join("");
}

/** Returns the finding of an experiment that has thrown: it has proved nothing. */
function broken(thrown: unknown): Finding {
  return { n: 0, violations: 1, notes: [`broke off: ${messageOf(thrown)}`] };
}
