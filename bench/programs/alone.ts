import { writeSync } from "node:fs";
import { runBench } from "../case.ts";
import { benchCases } from "../cases.ts";

/** Runs the case with the given name and writes its result as JSON to descriptor 3. */
const [name = ""] = process.argv.slice(2);
const found = (await benchCases()).find((one) => one.name === name);
if (found === undefined) throw new Error(`there is no case "${name}"`);
const result = JSON.stringify(await runBench(found));
writeSync(3, result);
process.exit(0);
