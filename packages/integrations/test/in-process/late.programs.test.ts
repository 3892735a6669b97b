import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const program = fileURLToPath(new URL("./fixtures/late-host.ts", import.meta.url));

function run(body: string, host = "") {
  const flags = ["--conditions=hookline-source", "--disable-warning=ExperimentalWarning"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, body, host], { encoding: "utf8" });
  return { status, told: stdout === "" ? undefined : JSON.parse(stdout), stderr };
}

describe("an error after the handler has returned", () => {
  test.each([
    ["thrown by a timer", 'setTimeout(() => { throw new Error("oops"); }, 1)'],
    ["thrown by an immediate", 'setImmediate(() => { throw new Error("oops"); })'],
    ["thrown by a tick", 'process.nextTick(() => { throw new Error("oops"); })'],
    ["thrown by a microtask", 'queueMicrotask(() => { throw new Error("oops"); })'],
    [
      "of an emitter without listeners",
      'const emitter = new (process.getBuiltinModule("node:events"))(); setTimeout(() => emitter.emit("error", new Error("oops")), 1)',
    ],
    ["of a class of its own", 'class Own extends TypeError {} setTimeout(() => { throw new Own("oops"); }, 1)'],
    ["with a cause", 'void Promise.reject(new Error("oops", { cause: new Error("inner") }))'],
    ["of a promise that nobody awaits", 'void Promise.reject(new Error("oops"))'],
    ["of an async function", '(async () => { await null; throw new Error("oops"); })()'],
    [
      "thrown by a listener",
      'const signal = AbortSignal.timeout(1); signal.onabort = () => { throw new Error("oops"); }',
    ],
  ])("%s is told with its module, and the host goes on", (_, body) => {
    expect(run(body)).toEqual({
      status: 0,
      told: ["HOOK_LATE_ERROR late.ts failed after its handler had returned: oops"],
      stderr: "",
    });
  });

  test("that has no stack is reported without a module", () => {
    const { status, told } = run('setTimeout(() => { throw "oops"; }, 1)');
    expect({ status, told }).toEqual({
      status: 0,
      told: ["HOOK_LATE_ERROR A module that was loaded failed after its handler had returned: oops"],
    });
  });

  test.each([
    ["other files have been read for consent", "reviews"],
    ["another runtime is loading", "loads"],
  ])("is told with its module when %s", (_, host) => {
    expect(run('Object.assign(globalThis, { later: () => { throw new Error("oops"); } })', host)).toEqual({
      status: 0,
      told: ["HOOK_LATE_ERROR late.ts failed after its handler had returned: oops"],
      stderr: "",
    });
  });

  test("does not end the host after the session either", () => {
    expect(
      run('process.once("closed", () => setTimeout(() => { throw new Error("oops"); }, 1))', "closed"),
    ).toMatchObject({ status: 0, told: [] });
  });

  test("of the host itself ends it as ever", () => {
    const { status, stderr } = run("", "throws");
    expect(status).toBe(1);
    expect(stderr).toMatch(/SyntaxError: .*\n +at JSON\.parse/);
  });
});
