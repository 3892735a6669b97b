import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "@hookline/runtime";
import { bound95, type Claim, type Finding } from "../prove/claim.ts";
import { stateNode } from "./node-version.ts";
import { type Result, writeCard } from "./report-card.ts";
import { root } from "./step.ts";

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean" },
    quick: { type: "boolean" },
    minutes: { type: "string" },
    card: { type: "boolean" },
  },
  allowPositionals: true,
});
stateNode();
const given = values.minutes === undefined ? {} : { minutes: Number(values.minutes) };
const names = readdirSync(join(root, "prove"))
  .filter((name) => name.endsWith(".ts") && name !== "claim.ts")
  .map((name) => name.slice(0, -3))
  .filter((name) => positionals.length === 0 || positionals.includes(name));
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
const unknown = positionals.filter((name) => !names.includes(name));
for (const name of unknown) process.stderr.write(`There is no experiment "${name}".\n`);
if (values.json) process.stdout.write(`${JSON.stringify({ claims })}\n`);
process.exitCode = claims.every(({ ok }) => ok) && unknown.length === 0 ? 0 : 1;

/** An experiment that breaks off has proved nothing. */
function broken(thrown: unknown): Finding {
  return { n: 0, violations: 1, notes: [`broke off: ${messageOf(thrown)}`] };
}
