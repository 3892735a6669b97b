import { readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@hookline/runtime/internal";
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
  says: "Promises, proved by experiment.",
  options: {
    json: { type: "boolean", says: "the findings as JSON" },
    quick: { type: "boolean", says: "a small size of each" },
    minutes: { type: "string", value: "N", says: "how long one lasts that runs for a time" },
    card: { type: "boolean", says: "puts the findings on the report card" },
  },
  words: { called: "NAME", says: "only these experiments", known },
});
const minutes = Number(values.minutes ?? 1);
if (!(minutes > 0)) refuse(`--minutes wants a number above 0, not "${values.minutes}".`);
const given = values.minutes === undefined ? {} : { minutes };
const names = known.filter((name) => words.length === 0 || words.includes(name));
const leaveHome = takeHome();
const claims: (Omit<Result, "notes"> & { readonly ok: boolean; readonly note?: string })[] = [];
const results: Result[] = [];
for (const name of names) {
  const { claim } = (await import(join(root, "prove", `${name}.ts`))) as { claim: Claim };
  const started = performance.now();
  const finding = await claim.run(values.quick ? "quick" : "full", given).catch(broken);
  const notes = finding.notRun === undefined ? finding.notes : [`not run: ${finding.notRun}`];
  const result = {
    name: claim.name,
    says: claim.says,
    n: finding.n,
    violations: finding.violations,
    bound95: bound95(finding),
    seconds: Math.round((performance.now() - started) / 100) / 10,
  };
  results.push({ ...result, notes });
  claims.push({
    ...result,
    ok: finding.violations === 0,
    ...(notes.length > 0 && { note: notes.join("; ") }),
  });
  if (!values.json) {
    const { ok, n, violations, seconds } = claims.at(-1) as (typeof claims)[number];
    process.stdout.write(
      `${ok ? "kept    " : "VIOLATED"}  ${claim.name.padEnd(14)} ${violations} of ${n} (${seconds} s): ${claim.says}\n`,
    );
    for (const line of notes) process.stdout.write(`            ${line}\n`);
  }
}
if (values.card) writeCard(results, ["npm run prove --", ...process.argv.slice(2)].join(" "));
if (values.json) process.stdout.write(`${JSON.stringify({ claims })}\n`);
const touched = leaveHome();
if (touched.length > 0) process.stderr.write(`${strayed(touched)}\n`);
process.exitCode = claims.every(({ ok }) => ok) && touched.length === 0 ? 0 : 1;

/** An experiment that breaks off has proved nothing. */
function broken(thrown: unknown): Finding {
  return { n: 0, violations: 1, notes: [`broke off: ${messageOf(thrown)}`] };
}
