import { writeSync } from "node:fs";
import { deciding } from "./deciding.ts";

/** An agent that decides without end, and prints how many decisions were made. Somebody kills it. */
const agent = await deciding(process.argv[2] ?? "");
for (let n = 1; ; n++) {
  await agent.call(`no ${n}`);
  writeSync(1, `${n}\n`);
  await new Promise((resolve) => setTimeout(resolve, 1));
}
