import { writeFileSync } from "node:fs";
import { createProcessTransport } from "../../packages/runtime/src/transport/process/transport.ts";
import { clock } from "../../packages/runtime/test/process/clock.ts";
import { call } from "../../packages/runtime/test/process/programs.ts";

/** A host with a terminal: runs hooks, and records their exit codes. */
const { path, result, commands } = JSON.parse(process.argv[2] ?? "{}");
const transport = createProcessTransport({ path, clock });
const codes: (number | undefined)[] = [];
for (const command of commands) codes.push((await transport.run(call(command, { timeoutMs: 3000 }))).exitCode);
await transport.close();
writeFileSync(result, JSON.stringify(codes));
