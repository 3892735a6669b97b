import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HostUi } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import { type Bench, type BenchOptions, startBench } from "../agent/bench.ts";
import { attempts, bash, type Call, files, link, tree, write } from "./attempts.ts";

async function attempted(call: Call, options: Partial<BenchOptions> = {}) {
  let home = "";
  const bench: Bench = await startBench({
    replies: (_request, at) =>
      at === 0 ? { toolCalls: [JSON.parse(JSON.stringify(call).replaceAll("HOME", home))] } : { text: "." },
    files,
    args: ["-e", "ext.ts"],
    ...options,
  });
  home = bench.home;
  link(bench);
  const before = [...tree(bench.project), ...tree(bench.home)];
  const hooks = bench.hooks.hooks().length;
  await bench.agent.prompt("Go on");
  const result = bench.agent.messages().find(({ role }) => role === "toolResult") as any;
  const after = [...tree(bench.project), ...tree(bench.home)];
  return {
    result,
    unchanged: after.join("\n") === before.join("\n"),
    hooks: bench.hooks.hooks().length - hooks,
    bench,
  };
}

test("there are at least forty of them", () => {
  expect(new Set(attempts.map(([name]) => name)).size).toBeGreaterThanOrEqual(40);
});

describe("without anybody who could agree, the model changes nothing that decides about hooks", () => {
  test.each(attempts)("%s", async (_name, call) => {
    const { result, unchanged, hooks } = await attempted(call);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(
      /only a person may change it\. Nobody can be asked|No hook was registered|0 session hooks/,
    );
    expect({ unchanged, hooks }).toEqual({ unchanged: true, hooks: 0 });
  });
});

test("a person sees the whole change, where it would land and what is hidden in it; a no changes nothing", async () => {
  const asked: string[] = [];
  const ui: HostUi = { confirm: async (title, message) => asked.push(`${title}\n${message}`) === 0 };
  const call = write("absent.txt", "one\u202e\ntwo\u001b[8m");
  const { result, unchanged, bench } = await attempted(call, { mode: "rpc", ui });
  expect(unchanged).toBe(true);
  expect(result.content[0].text).toMatch(/The person did not agree; nothing was changed\./);
  expect(asked.map((text) => text.replaceAll(bench.project, "PROJECT"))).toEqual([
    "Change what decides about hooks?\nwrite: PROJECT/absent.txt, which leads to PROJECT/.pi/extensions/new.ts, decides which hooks run, so only a person may change it.\n\none<U+202E>\ntwo␛[8m",
  ]);
});

test("with the person's yes exactly the change that was shown is made, after all guards", async () => {
  const asked: string[] = [];
  const ui: HostUi = { confirm: async (_title, message) => asked.push(message) > 0 };
  const guard = `export default (pi) => pi.on("tool_call", (event) => { if (event.toolName === "write") event.input.content = "as a hook made it"; });`;
  const { result, bench } = await attempted(write(".jcli/hooks.yaml", "as the model wanted it"), {
    mode: "rpc",
    ui,
    files: { ...files, "ext.ts": guard },
  });
  expect(result.isError).toBe(false);
  expect(asked[0]).toMatch(/\n\nas a hook made it$/);
  expect(readFileSync(join(bench.project, ".jcli/hooks.yaml"), "utf8")).toBe("as a hook made it");
});

test("what is too long to be read is not even asked about", async () => {
  const asked: string[] = [];
  const ui: HostUi = { confirm: async (title) => asked.push(title) > 0 };
  const { result, unchanged } = await attempted(write(".jcli/hooks.yaml", `#${"x".repeat(20_000)}`), {
    mode: "rpc",
    ui,
  });
  expect(result.content[0].text).toContain("too long to be read before agreeing");
  expect({ unchanged, asked }).toEqual({ unchanged: true, asked: [] });
});

test("what has nothing to do with hooks is written and run as ever", async () => {
  for (const path of ["src/hooks/post.ts", "json.py", "common", "README.md", "bin/other.sh"]) {
    const { result } = await attempted(write(path, "export {};"));
    expect(result.isError, path).toBe(false);
  }
  const read = await attempted(bash("cat .jcli/hooks.yaml"));
  expect(read.result.content[0].text).toContain("cat > /dev/null");
});
