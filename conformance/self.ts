import { createInterface } from "node:readline";
import { dialects } from "@hookline/runtime/dialects";
import { messageOf } from "../packages/ground/src/error/error.ts";
import type { Case } from "./case.ts";
import { observe } from "./run.ts";

// hookline as one of the runtimes that `npm run dev -- against` can compare: a case a line in, an observation a line out.
for await (const line of createInterface({ input: process.stdin })) {
  const one = JSON.parse(line) as Case;
  const said = await observe(one, dialects).catch((thrown: unknown) => ({ skip: messageOf(thrown) }));
  process.stdout.write(`${JSON.stringify({ id: one.id, ...said })}\n`);
}
