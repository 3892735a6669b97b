import { type Diagnostic, diagnose, place } from "@hookline/ground";
import { loadParser } from "../command/parser.ts";
import { needsConsent } from "../consent/consent.ts";
import { Fingerprints } from "../consent/fingerprint.ts";
import type { Candidate } from "../dialect/dialect.ts";
import type { LoadParts } from "./loader.ts";
import { readGraph } from "./review.ts";

/** Returns load problems in dialects whose program refuses to start with a broken hook. Runs nothing. */
export async function rehearseHooks(parts: LoadParts): Promise<readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  await loadParser();
  const prints = new Fingerprints(parts.scan);
  const mayRun = (candidate: Candidate): boolean => {
    if (!needsConsent(candidate)) return true;
    const allowed = parts.consent.allows(candidate, (...at) => prints.of(candidate, ...at));
    return typeof allowed === "boolean" ? allowed : allowed.verdict === "approved";
  };
  for (const dialect of parts.dialects.filter(({ endsWhenBroken }) => endsWhenBroken === true)) {
    const { candidates } = await dialect.discover(parts.scan);
    for (const candidate of candidates.filter(mayRun)) {
      const { source, state, reason } = candidate;
      const read = state === "runs" ? (await readGraph(dialect, candidate, parts)).problem : undefined;
      const problem = state === "broken" ? reason : read;
      if (problem !== undefined) problems.push(diagnose("LOAD_FAILED", { path: place(source), problem }, { source }));
    }
  }
  return problems;
}
