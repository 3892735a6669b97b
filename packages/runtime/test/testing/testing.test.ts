import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dialects } from "../../../integrations/src/index.ts";
import { catalog, type EventName } from "../../src/catalog/catalog.ts";
import { rowOf, sampleEvent, samplePayload, testHooks } from "../../src/testing/index.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-testing-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string, mode?: "x"): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, text);
  if (mode === "x") chmodSync(full, 0o755);
  return full;
}

describe("hook files of every kind", () => {
  const rm = { command: "rm -rf build" };

  test("a pi extension: given a call, then its denial", async () => {
    const file = write(
      "guard.ts",
      'export default (pi) => pi.on("tool_call", (e) => (e.input.command?.startsWith("rm") ? { block: true, reason: "no" } : undefined));\n',
    );
    await using hooks = await testHooks({ files: [file] });
    const refused = await hooks.fire("pi", "tool_call", hooks.sample("pi", "tool_call", { input: rm }));
    expect(refused.answer).toEqual({ block: true, reason: "no" });
    expect(refused.hooks).toMatchObject([{ status: "answered", ms: expect.any(Number) }]);
    const let_ = await hooks.fire("pi", "tool_call");
    expect(let_.answer).toEqual({});
    expect(let_.hooks).toMatchObject([{ status: "no-answer" }]);
  });

  test("an omp hook, by its folder, with its edit", async () => {
    const file = write(
      "hooks/post/tidy.ts",
      'export default (pi) => { pi.on("tool_result", (e) => ({ content: [{ type: "text", text: e.content[0].text.trim() }] })); };\n',
    );
    await using hooks = await testHooks({ files: [file] });
    const { answer, hooks: runs } = await hooks.fire(
      "omp-hooks",
      "tool_result",
      hooks.sample("omp-hooks", "tool_result", { content: [{ type: "text", text: " x " }] }),
    );
    expect(answer).toMatchObject({ content: [{ type: "text", text: "x" }] });
    expect(runs[0]?.place).toMatch(/tidy\.ts/);
  });

  test("a hooks.yaml of j-cli, over a real shell", async () => {
    const file = write(
      "hooks.yaml",
      "pre_send_message:\n  - command: 'cat > /dev/null; echo ''{\"user_input\":\"changed\"}'''\n",
    );
    await using hooks = await testHooks({ files: [file] });
    const { answer, edits } = await hooks.emit("prompt.before", { text: "hello" });
    expect(answer).toEqual({ text: "changed" });
    expect(edits).toMatchObject([{ lane: "jcli", field: "user_input", from: "hello", to: "changed" }]);
  });

  test("a HOOK.yaml folder of j-cli, with the script beside it", async () => {
    write("deny/HOOK.yaml", "events: [pre_tool_execution]\ncommand: deny.sh\n");
    write("deny/deny.sh", '#!/bin/sh\necho \'{"action":"skip"}\'\n', "x");
    await using hooks = await testHooks({ files: [join(folder, "deny")] });
    expect((await hooks.fire("jcli", "pre_tool_execution")).answer).toEqual({ action: "skip" });
  });

  test("an executable of chibi", async () => {
    const schema = '{"name":"g","description":"d","hooks":["pre_tool"]}';
    const file = write(
      "guard",
      `#!/bin/sh\n[ "$1" = --schema ] && { echo '${schema}'; exit 0; }\necho '{"block":true,"message":"no"}'\n`,
      "x",
    );
    await using hooks = await testHooks({ files: [file] });
    expect((await hooks.fire("chibi", "pre_tool")).answer).toEqual({ block: true, message: "no" });
    expect(hooks.explain("tool.before").plan).toMatchObject([{ lane: "chibi" }]);
  });

  test("hooks of several dialects at once", async () => {
    const yaml = write("hooks.yaml", 'pre_tool_execution:\n  - command: "true"\n');
    const module = write("a.ts", 'export default (pi) => pi.on("tool_call", () => {});\n');
    await using hooks = await testHooks({ files: [yaml, module, `omp:${module}`] });
    expect(hooks.explain("tool.before").plan.map(({ lane }) => lane)).toEqual(["jcli", "omp", "pi"]);
  });
});

describe("what cannot be tested", () => {
  test("a file that is not there is named", async () => {
    await expect(testHooks({ files: [join(folder, "nothing.ts")] })).rejects.toThrow(/no hook file .*nothing\.ts/);
  });

  test("a file that cannot be loaded fails with its reason", async () => {
    await expect(testHooks({ files: [write("a.ts", "export default 1;\n")] })).rejects.toThrow(
      /No hook was loaded.*factory function/,
    );
  });

  test.each([
    ["a script", "node .jcli/guard.mjs"],
    ["a program", "no-such-program --now"],
    ["a file of a shell", ". ./lib.sh"],
  ])("a guard whose command is not there is an error of the test: %s", async (_, command) => {
    const file = write("hooks.yaml", `pre_tool_execution:\n  - command: ${command}\n    on_error: abort\n`);
    await using hooks = await testHooks({ files: [file] });
    await expect(hooks.emit("tool.before")).rejects.toThrow(/hooks\.yaml:2 could not run its command: .*project/s);
    await expect(hooks.fire("jcli", "pre_tool_execution")).rejects.toThrow(/could not run its command/);
  });

  test("a guard that fails itself counts as its failure says", async () => {
    const file = write("hooks.yaml", "pre_tool_execution:\n  - command: exit 3\n    on_error: abort\n");
    await using hooks = await testHooks({ files: [file] });
    expect((await hooks.emit("tool.before")).answer).toMatchObject({ decision: "deny" });
  });

  test("an unknown event is answered with the nearest name", async () => {
    await using hooks = await testHooks({
      files: [write("a.ts", 'export default (pi) => pi.on("input", () => {});\n')],
    });
    expect(() => hooks.sample("pi", "tool_cal")).toThrow(/no event "pi:tool_cal"/);
    await expect(hooks.fire("pi", "tool_cal", {})).rejects.toMatchObject({
      hint: expect.stringMatching(/pi:tool_call/),
    });
  });

  test("nothing is left behind", async () => {
    const hooks = await testHooks({
      files: [
        write(
          "a.ts",
          'export default (pi) => pi.on("input", () => ({ action: "transform", text: process.env.HOME ?? "" }));\n',
        ),
      ],
    });
    const home =
      hooks.report.searched
        .find((path) => path.endsWith("/.pi/agent/extensions"))
        ?.replace("/.pi/agent/extensions", "") ?? "";
    expect(existsSync(home)).toBe(true);
    await hooks.close();
    expect(existsSync(home)).toBe(false);
  });
});

describe("samples", () => {
  test.each([...catalog.keys()] as EventName[])("the sample of %s fits its schema", (event) => {
    const schema = catalog.get(event)?.payload() as v.GenericSchema;
    expect(v.safeParse(schema, samplePayload(event)).issues).toBeUndefined();
  });

  const rows = dialects.flatMap(({ lanes }) =>
    lanes.flatMap(({ id, rows: own }) => own.map((row) => [id, row.name] as const)),
  );
  test.each(rows)("%s has a sample of %s at a moment when it fires", (lane, name) => {
    const lanes = dialects.flatMap((dialect) => dialect.lanes);
    const scene = {
      sessionId: "s",
      cwd: "/project",
      messages: () => [],
      systemPrompt: () => "",
      context: "default",
      summary: "",
      todos: "",
      goals: "",
      recursionDepth: 0,
    };
    expect(sampleEvent(rowOf(lanes, lane, name), scene)).toBeTypeOf("object");
  });

  test("a sample has the requested tool and model", () => {
    expect(samplePayload("tool.before", { tool: "read" })).toMatchObject({ tool: "read", args: { path: "README.md" } });
    expect(samplePayload("tool.before", { tool: "mine", args: { a: 1 } })).toMatchObject({
      tool: "mine",
      args: { a: 1 },
    });
    expect(samplePayload("model.select", { model: "m" })).toMatchObject({ model: { id: "m" } });
  });
});
