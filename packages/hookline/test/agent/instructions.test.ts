import { join } from "node:path";
import type { Payload } from "@hookline/runtime";
import { expect, test } from "vitest";
import { startBench } from "./bench.ts";

test("hooks are told which instruction files and rules were read, each time they are read", async () => {
  const { agent, hooks, project, home } = await startBench({
    replies: [{ text: "ok" }],
    files: {
      "AGENTS.md": "Be brief.",
      "~/.hookline/AGENTS.md": "Be kind.",
      "~/.hookline/rules/tests.md": "---\nname: tests\nglobs: ['*.test.ts']\ncondition: skip\n---\nNever skip a test.",
    },
  });
  const heard: Payload<"instructions.loaded">[] = [];
  hooks.on("instructions.loaded", (event) => {
    heard.push(event);
    return undefined;
  });
  await agent.prompt("/reload");
  expect(heard).toEqual([
    { path: join(home, ".hookline/AGENTS.md"), tier: "user", reason: "session_start" },
    { path: join(project, "AGENTS.md"), tier: "project", reason: "session_start" },
    { path: join(home, ".hookline/rules/tests.md"), tier: "user", reason: "rule", globs: ["*.test.ts"] },
  ]);
  await agent.prompt("/new");
  expect(heard).toHaveLength(6);
});
