import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandDefinition, HostServices } from "../../../runtime/src/port/host.ts";
import { call, type Opened, openFiles, ran, type Setting, text, user } from "./kit.ts";

/** A session whose only hook is one of the documents' examples, to the letter, in omp's own folder. */
function withExample(name: string, setting: Setting = {}): Promise<Opened> {
  const source = readFileSync(join(import.meta.dirname, "fixtures", `${name}.ts.txt`), "utf8");
  return openFiles({ [`home/.omp/agent/hooks/pre/${name}.ts`]: source }, setting);
}

const root = call("bash", { command: "rm -rf /" });
const answering = (confirm: boolean): Setting => ({ services: { mode: "tui", ui: { confirm: async () => confirm } } });

describe("the documents' examples run unmodified", () => {
  test("[omp.module.3, omp.module.1] the factory of a hook", async () => {
    await using opened = await withExample("factory-hook");
    expect(opened.session.report.sources).toMatchObject([{ state: "runs", api: "hook", events: ["tool_call"] }]);
    expect((await opened.session.emit("tool.before", root)).answer).toEqual({});
  });

  test("[omp.module.7] the factory of an extension", async () => {
    const source = readFileSync(join(import.meta.dirname, "fixtures", "factory-extension.ts.txt"), "utf8");
    await using opened = await openFiles({ "home/.omp/agent/extensions/mine.ts": source });
    expect(opened.session.report.sources).toMatchObject([{ state: "runs", api: "extension", events: ["tool_call"] }]);
  });

  test("[omp.module.8, omp.tool-call.1] a policy of one line", async () => {
    await using opened = await withExample("policy");
    const { answer } = await opened.session.emit("tool.before", root);
    expect(answer).toEqual({ decision: "deny", reason: "blocked by policy" });
    expect((await opened.session.emit("tool.before", call("bash", { command: "ls" }))).answer).toEqual({});
  });

  test("[omp.seed000.rm-rf-blocker] the rm-rf blocker", async () => {
    await using headless = await withExample("rm-rf-blocker");
    const { answer } = await headless.session.emit("tool.before", root);
    expect(answer).toEqual({ decision: "deny", reason: "rm -rf / blocked by safety policy" });
    expect((await headless.session.emit("tool.before", call("bash", { command: "rm -rf x" }))).answer).toEqual({});
    await using allowed = await withExample("rm-rf-blocker", answering(true));
    expect((await allowed.session.emit("tool.before", root)).answer).toEqual({});
    await using refused = await withExample("rm-rf-blocker", answering(false));
    expect((await refused.session.emit("tool.before", root)).answer).toMatchObject({ decision: "deny" });
  });

  test("[omp.seed000.redactor] the API-key redactor", async () => {
    await using opened = await withExample("api-key-redactor");
    const key = `sk-${"a".repeat(24)}`;
    const { answer } = await opened.session.emit("tool.after", ran(`token ${key}`));
    expect(answer).toEqual({ content: [text("token [REDACTED]")] });
    expect((await opened.session.emit("tool.after", ran("nothing secret"))).answer).toEqual({});
    expect((await opened.session.emit("tool.after", ran(key, { isError: true }))).answer).toEqual({});
    expect(opened.codes()).toEqual([]);
  });

  test("[omp.seed000.context-filter] the context filter loads, finds no message of role tool, and this is reported", async () => {
    await using opened = await withExample("context-filter");
    const result = { role: "toolResult", toolCallId: "c", toolName: "read", content: [text("x".repeat(9000))] };
    const messages = [user("u"), { ...result, isError: false, timestamp: 2 }] as any;
    expect((await opened.session.emit("model.context", { messages, systemPrompt: "" })).answer).toEqual({});
    expect(opened.diagnostics).toMatchObject([{ code: "LINT", hint: expect.stringContaining("toolResult") }]);
  });

  test("[omp.seed002.block] the blocker of unsafe commands", async () => {
    await using headless = await withExample("block-unsafe-bash");
    expect((await headless.session.emit("tool.before", root)).answer).toMatchObject({
      reason: "rm -rf blocked (no UI)",
    });
    await using allowed = await withExample("block-unsafe-bash", answering(true));
    expect((await allowed.session.emit("tool.before", root)).answer).toEqual({});
    await using refused = await withExample("block-unsafe-bash", answering(false));
    expect((await refused.session.emit("tool.before", root)).answer).toMatchObject({ reason: "user denied command" });
  });

  test("[omp.seed002.redact] the redactor of one tool's output", async () => {
    await using opened = await withExample("redact-tool-output");
    const { answer } = await opened.session.emit("tool.after", ran("API_KEY=abc rest"));
    expect(answer).toEqual({ content: [text("API_KEY=[REDACTED] rest")] });
    expect((await opened.session.emit("tool.after", { ...ran("API_KEY=abc"), tool: "bash" })).answer).toEqual({});
  });

  test("[omp.seed002.context] the filter of debug messages", async () => {
    await using opened = await withExample("modify-context");
    const debug = { ...user("d"), role: "custom", customType: "debug-only", display: true } as any;
    const { answer } = await opened.session.emit("model.context", { messages: [user("u"), debug], systemPrompt: "" });
    expect(answer).toEqual({ messages: [user("u")] });
  });

  test("[omp.seed002.command, omp.api.4] the hand-off command", async () => {
    const entries: unknown[] = [];
    const control = {
      waitForIdle: async () => {},
      newSession: async ({ parentSession, setup }: any) => {
        entries.push(parentSession);
        await setup({ appendMessage: (message: unknown) => entries.push(message) });
        return { cancelled: false };
      },
    };
    const services = { control, sessionManager: { getSessionFile: () => "/parent" } } as unknown as HostServices;
    await using opened = await withExample("handoff", { services });
    const command = opened.session.contributions.all<CommandDefinition>("command").get("handoff")?.value;
    expect(command?.description).toBe("Create a new session with setup message");
    await command?.handler("");
    expect(entries).toEqual([
      "/parent",
      { role: "user", content: [text("Continue from prior session summary.")], timestamp: expect.any(Number) },
    ]);
  });
});
