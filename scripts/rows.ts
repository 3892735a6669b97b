import { dialects } from "@hookline/runtime/dialects";
import { unasked } from "../conformance/report.ts";
import { readCases } from "../conformance/requirement.ts";
import { commandLine } from "./command-line.ts";

commandLine({ name: "rows", says: "Lists every row of a dialect that no case covers." });
const findings = dialects.flatMap((dialect) => unasked(readCases(dialect.id), dialect));
for (const { id, why } of findings) process.stderr.write(`${id}: ${why}\n`);
process.stdout.write(`${findings.length} rows without a case\n`);
if (findings.length > 0) process.exitCode = 1;
