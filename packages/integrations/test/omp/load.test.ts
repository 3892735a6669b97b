import { describe, expect, test } from "vitest";
import { on, openFiles, openHooks } from "./kit.ts";

const HOOKS = "home/.omp/agent/hooks/pre";
const good = `export default (pi) => pi.on("agent_start", () => {});`;

describe("load errors", () => {
  test.each([
    ["[omp.load.2, omp.error.1] no default export", "export const x = 1;", /^Hook must export a default function$/],
    [
      "[omp.load.2] a default export that is no function",
      "export default { on() {} };",
      /^Hook must export a default function$/,
    ],
    [
      "[omp.module.4] a class",
      "export default class H {}",
      /^Failed to load hook: Class constructor H cannot be invoked without 'new'/,
    ],
    ["[omp.error.1] a syntax error", "export default (", /^Failed to load hook: /],
    ["an import of what is not there", `import "./missing.ts"; ${good}`, /^Failed to load hook: .*missing/],
    ["a body that throws", `throw new Error("top"); ${good}`, /^Failed to load hook: top/],
    ["a factory that throws", `export default () => { throw new Error("inside"); };`, /^Failed to load hook: inside$/],
    [
      "a factory that rejects",
      `export default async () => { throw new Error("later"); };`,
      /^Failed to load hook: later$/,
    ],
    ["an exit", `export default () => { process.exit(1); };`, /^Failed to load hook: .*process\.exit\(1\)/],
  ])("%s is reported in omp's words, and the others load", async (_name, source, reason) => {
    await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source, [`${HOOKS}/b.ts`]: good });
    const [bad, other] = opened.session.report.sources;
    expect(bad).toMatchObject({ state: "broken", reason: expect.stringMatching(reason) });
    expect(other).toMatchObject({ state: "runs", events: ["agent_start"] });
    expect(opened.codes()).toContain("LOAD_FAILED");
  });

  test("[omp.error.2] what a hook had registered before its factory failed is gone", async () => {
    const source = `export default (pi) => {
      pi.on("agent_start", () => {});
      pi.registerCommand("c", { handler() {} });
      throw new Error("x");
    };`;
    await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
    expect(opened.session.hooks()).toEqual([]);
    expect([...opened.session.contributions.all("command").keys()]).toEqual([]);
  });

  test("extensions have texts of their own", async () => {
    await using opened = await openFiles({
      "home/.omp/agent/extensions/a.ts": "export const x = 1;",
      "home/.omp/agent/extensions/b.ts": "throw new Error('top');",
    });
    expect(opened.session.report.sources).toMatchObject([
      { reason: `Extension does not export a valid factory function: ${opened.root}/home/.omp/agent/extensions/a.ts` },
      { reason: expect.stringMatching(/^Failed to load extension: top/) },
    ]);
  });
});

test("[omp.module.5] an asynchronous factory is waited for and reported", async () => {
  const source = `export default async (pi) => { await null; pi.on("agent_start", () => {}); };`;
  await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
  expect(opened.session.hooks()).toHaveLength(1);
  expect(opened.diagnostics).toMatchObject([{ code: "LINT", message: expect.stringContaining("asynchronous") }]);
});

test("[omp.module.6] all handlers that a factory registers are there when it has returned", async () => {
  await using opened = await openHooks([
    on(
      "tool_call",
      () => {},
      () => {},
    ),
    on("context", () => {}),
  ]);
  expect(opened.session.hooks().map(({ hook }) => hook.id)).toEqual([
    "omp-hooks:/hook/1.ts#tool_call[0]",
    "omp-hooks:/hook/1.ts#tool_call[1]",
    "omp-hooks:/hook/2.ts#context[0]",
  ]);
});

test("[omp.status.1] CommonJS works as well", async () => {
  await using opened = await openFiles({
    [`${HOOKS}/a.js`]: `module.exports = (pi) => pi.on("agent_start", () => {});`,
  });
  expect(opened.session.hooks()).toHaveLength(1);
});

describe("the packages that hooks import", () => {
  const scopes = ["@oh-my-pi", "@mariozechner", "@earendil-works"];
  const paths = ["hooks", "extensibility/hooks", "extensibility/extensions"];

  test.each(scopes.flatMap((scope) => paths.map((path) => [`${scope}/pi-coding-agent/${path}`])))(
    "values can be imported from %s",
    async (specifier) => {
      const source = `import { isToolCallEventType, isBashToolResult } from "${specifier}";
        export default (pi) => {
          pi.on("tool_call", (event) => ({ block: isToolCallEventType("bash", event), reason: String(isBashToolResult(event)) }));
        };`;
      await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
      const { answer } = await opened.session.emit("tool.before", { toolCallId: "c", tool: "bash", args: {} });
      expect(answer).toEqual({ decision: "deny", reason: "true" });
      expect(opened.codes()).toEqual([]);
    },
  );

  test("[omp.export.2, omp.export.4, omp.export.1] the hook package exports its loader, runner, wrapper and execCommand", async () => {
    const source = `import * as hooks from "@oh-my-pi/pi-coding-agent/extensibility/hooks";
      export default async () => {
        globalThis.ompLibrary = Object.keys(hooks).filter((name) => typeof hooks[name] === "function");
        globalThis.ompExec = await hooks.execCommand("sh", ["-c", "pwd; exit 2"], "/");
      };`;
    await using _opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
    expect((globalThis as any).ompLibrary).toEqual(
      expect.arrayContaining(["discoverAndLoadHooks", "loadHooks", "HookRunner", "HookToolWrapper", "execCommand"]),
    );
    expect((globalThis as any).ompExec).toEqual({
      stdout: "/\n",
      stderr: "",
      code: 2,
      killed: false,
      truncated: false,
    });
  });

  test("[omp.export.3, omp.export.5] types may be imported from all of them, whatever they are called", async () => {
    const source = `import type { HookAPI, HookContext } from "@oh-my-pi/pi-coding-agent";
      import { type HookError, type LoadHooksResult } from "@oh-my-pi/pi-coding-agent/hooks";
      import { HookEvent } from "@oh-my-pi/pi-coding-agent/hooks";
      export default function (pi: HookAPI): void { pi.on("agent_start", (event: HookEvent, ctx: HookContext) => {}); }`;
    await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
    expect(opened.session.report.sources).toMatchObject([{ state: "runs" }]);
    expect(opened.codes()).toEqual([]);
  });

  test("a value that is not there is undefined and named", async () => {
    const source = `import { nothingOfTheKind } from "@oh-my-pi/pi-coding-agent";
      export default () => { globalThis.ompMissing = typeof nothingOfTheKind; };`;
    await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
    expect((globalThis as any).ompMissing).toBe("undefined");
    expect(opened.diagnostics).toMatchObject([{ code: "MISSING_EXPORT" }]);
  });

  test("chalk, utilities, builders and typebox", async () => {
    const source = `import chalk from "@oh-my-pi/pi-utils/chalk";
      import { formatDuration, isEnoent, logger } from "@oh-my-pi/pi-utils";
      import { StringEnum, Type } from "@oh-my-pi/pi-ai";
      import { Type as Old } from "@sinclair/typebox";
      import { parseFrontmatter, truncateHead } from "@oh-my-pi/pi-coding-agent";
      export default () => {
        logger.info("loaded");
        globalThis.ompValues = [
          chalk.bold.red("x"), formatDuration(1500), isEnoent(Object.assign(new Error(), { code: "ENOENT" })), StringEnum(["a"]).enum,
          Type.String().type, Old.Number().type, parseFrontmatter("---\\na: 1\\n---\\nb").frontmatter,
          truncateHead("a\\nb", { maxLines: 1 }).content,
        ];
      };`;
    await using opened = await openFiles({ [`${HOOKS}/a.ts`]: source });
    expect(opened.codes()).toEqual([]);
    expect((globalThis as any).ompValues).toEqual(["x", "1.5s", true, ["a"], "string", "number", { a: 1 }, "a"]);
  });

  test("the host lends the rest, under omp's names and under pi's", async () => {
    const lent: Record<string, object> = {
      "@earendil-works/pi-tui": { visibleWidth: () => 1 },
      "@earendil-works/pi-coding-agent": { convertToLlm: () => "llm" },
      "@oh-my-pi/pi-natives": { native: true },
    };
    const source = `import { visibleWidth } from "@oh-my-pi/pi-tui";
      import { convertToLlm, isReadToolResult } from "@oh-my-pi/pi-coding-agent";
      import { native } from "@oh-my-pi/pi-natives";
      export default (pi) => {
        globalThis.ompLent = [visibleWidth("x"), convertToLlm([]), isReadToolResult({ toolName: "read" }), native, pi.pi.convertToLlm()];
      };`;
    await using opened = await openFiles(
      { [`${HOOKS}/a.ts`]: source },
      { services: { modules: (specifier) => lent[specifier] && Promise.resolve(lent[specifier] as never) } },
    );
    expect(opened.codes()).toEqual([]);
    expect((globalThis as any).ompLent).toEqual([1, "llm", true, true, "llm"]);
  });
});
