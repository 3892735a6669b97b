import { expect, test } from "vitest";
import { startBench } from "../agent/bench.ts";

const noting = (program: string) => `export default (${program}) => {
  ${program}.on("tool_result", ({ toolName, details, isError }) => {
    ${program}.appendEntry("seen", { by: "${program}", toolName, details: details === undefined ? "none" : details, isError });
  });
};`;

test("a tool that threw has no details for hooks of omp, and an empty object for those of pi", async () => {
  const { agent } = await startBench({
    replies: [{ toolCalls: [{ name: "read", arguments: { path: "nowhere.txt" } }] }, { text: "ok" }],
    files: { ".pi/extensions/notes.ts": noting("pi"), ".omp/extensions/notes.ts": noting("omp") },
  });
  await agent.prompt("Read");
  const seen = agent.core.store
    .getEntries()
    .flatMap((entry) => (entry.type === "custom" && entry.customType === "seen" ? [entry.data] : []));
  expect(seen).toContainEqual({ by: "omp", toolName: "read", details: "none", isError: true });
  expect(seen).toContainEqual({ by: "pi", toolName: "read", details: {}, isError: true });
});

test("a branch of omp and a fork of pi that do not start at a person's message say so in their own words", async () => {
  const bench = await startBench({
    replies: [],
    files: {
      ".omp/extensions/branch.ts": `export default (omp) => omp.registerCommand("omp-branch", {
        handler: async (_args, ctx) => omp.appendEntry("said", await ctx.branch("nowhere").catch(({ message }) => message)),
      });`,
      ".pi/extensions/fork.ts": `export default (pi) => pi.registerCommand("pi-fork", {
        handler: async (_args, ctx) => pi.appendEntry("said", await ctx.fork("nowhere").catch(({ message }) => message)),
      });`,
    },
  });
  await bench.agent.prompt("/omp-branch");
  await bench.agent.prompt("/pi-fork");
  expect(
    bench.agent.core.store
      .getEntries()
      .flatMap((entry) => (entry.type === "custom" && entry.customType === "said" ? [entry.data] : [])),
  ).toEqual(["Invalid entry ID for branching", "Invalid entry ID for forking"]);
});
