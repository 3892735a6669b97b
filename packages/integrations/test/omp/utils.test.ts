import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { whichOf } from "../../src/omp/hooks/package-exports.ts";
import { openFiles } from "./kit.ts";

test("$which gives the first program on the PATH that may be run, or null", () => {
  const [first, second] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "hookline-which-"))) as [string, string];
  try {
    for (const folder of [first, second]) writeFileSync(join(folder, "tool"), "#!/bin/sh\n");
    chmodSync(join(second, "tool"), 0o755);
    const which = whichOf({ PATH: [first, second].join(delimiter) });
    expect(which("tool")).toBe(join(second, "tool"));
    expect(which(join(second, "tool"))).toBe(join(second, "tool"));
    expect([which("other"), which(join(first, "tool")), which("tool", { PATH: first })]).toEqual([null, null, null]);
  } finally {
    for (const folder of [first, second]) rmSync(folder, { recursive: true });
  }
});

test("a hook finds the environment, programs and folders in pi-utils", async () => {
  await using opened = await openFiles({
    "project/.omp/hooks/pre/own.ts": `import { $env, $which, CONFIG_DIR_NAME } from "@oh-my-pi/pi-utils";
export default (pi) => pi.on("tool_call", () => ({ block: true, reason: [CONFIG_DIR_NAME, $env.PATH === process.env.PATH, $which("no such program")].join() }));`,
  });
  const { answer } = await opened.session.emit("tool.before", {
    toolCallId: "c",
    tool: "bash",
    args: { command: "ls" },
  });
  expect(answer).toMatchObject({ decision: "deny", reason: ".omp,true," });
});

/** Returns the value of an expression in a module that imports pi-utils as `u`. */
async function made(expression: string): Promise<unknown> {
  const source = `import * as u from "@oh-my-pi/pi-utils"; export default async () => { globalThis.ompMade = await (${expression}); };`;
  await using opened = await openFiles({ "project/.omp/extensions/own.ts": source });
  expect(opened.codes().filter((code) => code !== "UNREACHABLE")).toEqual([]);
  return (globalThis as { ompMade?: unknown }).ompMade;
}

// Results of omp 18.2.3 for the same inputs.
test.each([
  [
    "[0, 30, 60, 3600, 90000, 864000, 3456000, null].map(u.formatAge)",
    ["", "just now", "1m ago", "1h ago", "1d ago", "1w ago", "1mo ago", ""],
  ],
  [
    '[u.formatPercent(0.123456), u.escapeXmlAttribute(`<a b="c">\'&`), u.escapeXmlText(`"<&`)]',
    ["12.3%", "&lt;a b=&quot;c&quot;&gt;'&amp;", '"&lt;&amp;'],
  ],
  [
    '[undefined, "", "Y", "on", "no", " 1 "].map((v) => [u.parseFlag(v), u.parseFlag(v, true)])',
    [
      [false, true],
      [false, true],
      [true, true],
      [true, true],
      [false, false],
      [false, false],
    ],
  ],
  [
    '[u.tryParseJson("{bad"), u.stableStringifyJson({ b: 1, a: [{ d: 1, c: 2 }] }), u.parseJsonlLenient(`{"a":1}\nbad\n2`)]',
    [null, '{"a":[{"c":2,"d":1}],"b":1}', [{ a: 1 }, 2]],
  ],
  [
    '[u.asRecord([1]), u.isRecord({}), u.stringProperty({ a: 1 }, "a") ?? "none", u.toError("x").message]',
    [null, true, "none", "x"],
  ],
  [
    '[u.isEnoent({ code: "ENOENT" }), u.hasFsCode(Object.assign(new Error(), { code: "EACCES" }), "EACCES"), u.isFsError(new Error())]',
    [false, true, false],
  ],
  [
    '[u.sanitizeText("a\\u001b[31mb\\u0007\\u0000c\\r\\nd\\te\\ud800"), u.isUrlLikePath("artifact://3"), u.isUrlLikePath("C:/x"), u.pathIsWithin("/a", "/a/b"), u.pathIsWithin("/a/b", "/a")]',
    ["abc\nd\te", true, false, true, false],
  ],
  ['["A", "_X1", "1A", "A-B", ""].map(u.isValidEnvName)', [true, true, false, false, false]],
  [
    '[u.getProjectAgentDir("/p"), u.getSessionsDir().split("/").slice(-3).join("/"), u.getLogsDir().split("/").slice(-2).join("/"), u.getMCPConfigPath().split("/").slice(-2).join("/")]',
    ["/p/.omp", ".omp/agent/sessions", ".omp/logs", ".omp/mcp.json"],
  ],
])("%s", async (expression, expected) => {
  expect(await made(expression)).toEqual(expected);
});

test("waits can be abandoned, and a value is computed once", async () => {
  expect(
    await made(`(async () => {
      let n = 0;
      const one = u.once(() => ++n);
      const said = (error) => error.name + ": " + error.message;
      return [
        one() + one(),
        await u.untilAborted(undefined, async () => 2),
        await u.untilAborted(AbortSignal.abort("why"), () => 1).catch(said),
        await u.withTimeout(new Promise(() => {}), 1, "late").catch(said),
        await u.withTimeout(Promise.resolve(3), 1000, "late"),
      ];
    })()`),
  ).toEqual([2, 2, "AbortError: Aborted: Cancelled", "Error: late", 3]);
});
