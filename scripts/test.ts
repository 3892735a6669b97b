import { buildAgent, buildRuntime } from "./build.ts";
import { stateNode } from "./node-version.ts";
import { step } from "./step.ts";

stateNode();
await Promise.all([buildRuntime(), buildAgent()]);
process.exitCode = await step("vitest", ["run", ...process.argv.slice(2)]);
