import { lintSource } from "@secretlint/core";
import { creator as preset } from "@secretlint/secretlint-rule-preset-recommend";
import { redact, SecretNames } from "../packages/guards/src/secrets/redact.ts";
import { corpus, type Group, type Sample } from "../packages/guards/test/secrets/corpus.ts";
import { commandLine } from "./command-line.ts";

const SEED = 20_261_129;
const GROUPS: readonly Group[] = ["must", "should", "false"];

type Range = readonly [start: number, end: number];

/** Returns the ranges that secretlint reports. */
async function reported(content: string): Promise<Range[]> {
  const { messages } = await lintSource({
    source: { content, filePath: "text.txt", ext: ".txt", contentType: "text" },
    options: {
      noPhysicFilePath: true,
      config: { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: preset, options: {} }] },
    },
  });
  return messages.map(({ range }) => [range[0], range[1]] as const);
}

/** Whether each secret of a sample overlaps a range; for a text without secrets, whether there is any range. */
function isHit({ secrets }: Sample, ranges: readonly Range[]): boolean {
  if (secrets.length === 0) return ranges.length > 0;
  return secrets.every(([start, end]) => ranges.some(([from, to]) => from < end && to > start));
}

commandLine({
  name: "secrets",
  says: "Compares the guard of secrets with secretlint's recommended rules on the corpus.",
});
process.stdout.write(`seed ${SEED}\n\n| | texts | hookline | secretlint 13.1.0 |\n|---|--:|--:|--:|\n`);
for (const [from, group] of (["", "independent-"] as const).flatMap((one) =>
  GROUPS.map((name) => [one, name] as const),
)) {
  const samples = corpus(group, SEED, from);
  let own = 0;
  let other = 0;
  for (const sample of samples) {
    const { findings } = redact(sample.text, new SecretNames());
    if (
      isHit(
        sample,
        findings.map(({ start, end }) => [start, end] as const),
      )
    )
      own += 1;
    if (isHit(sample, await reported(sample.text))) other += 1;
  }
  process.stdout.write(`| ${from.replace("-", " ")}${group} | ${samples.length} | ${own} | ${other} |\n`);
}
