import { describe, expect, it } from "vitest";
import type { ProcessCall } from "../../src/port/process.ts";
import { bench, call, PATHS } from "./kit.ts";

const HOST = {
  PATH: process.env["PATH"],
  HOME: "/canary/home",
  LANG: "C.UTF-8",
  LC_TIME: "C",
  TERM: "dumb",
  TMPDIR: "/tmp",
  USER: "canary",
  LOGNAME: "canary",
  SHELL: "/bin/sh",
  TZ: "UTC",
};
const OWN = { EDITOR: "canary", NODE_OPTIONS: "", GITHUB_TOKEN: "canary", LD_PRELOAD: "", DATABASE_URL: "canary" };
const KEYS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "OPENAI_API_KEY_2",
  "COHERE_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_OPENAI_API_KEY",
  "QWEN_TOKEN_PLAN_CN_API_KEY",
  "HF_TOKEN",
  "COPILOT_GITHUB_TOKEN",
  "OPENROUTER_API_KEY",
  "HOUSE_KEY",
];
const OF_DIALECTS = ["HOOK_EVENT", "HOOK_DATA"];
const PROTOCOL = [...OF_DIALECTS, "HOOKLINE_RECHECK"];
const all = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, "canary"]));

describe.each(PATHS)("the environment of a process (%s)", (path) => {
  async function seen(
    tier: "user" | "project" | "session" | "builtin",
    set: Record<string, string> = {},
    host: Record<string, string | undefined> = {},
    trace?: ProcessCall["trace"],
  ): Promise<Record<string, string>> {
    const env = { ...HOST, ...OWN, ...all(KEYS), ...all(PROTOCOL), ...host };
    const { transport } = bench({ path, runId: `env-${path}`, env, secrets: ["HOUSE_KEY"], protocol: OF_DIALECTS });
    const { stdout } = await transport.run(
      call({ file: "env", args: ["-0"] }, { tier, env: set, ...(trace && { trace }) }),
    );
    await transport.close();
    const pairs = stdout.split("\0").filter((line) => line !== "");
    return Object.fromEntries(
      pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  }
  const marker = { HOOKLINE_RUN_ID: `env-${path}.1` };

  it("shows a project's process nothing but the allowlist", async () => {
    expect(await seen("project")).toEqual({ ...HOST, ...marker });
  });

  it.each(["user", "session", "builtin"] as const)(
    "shows a %s process all but keys and protocol variables",
    async (tier) => {
      expect(await seen(tier)).toEqual({ ...HOST, ...OWN, ...marker });
    },
  );

  it("sets what the call sets, last of all", async () => {
    const set = { CHIBI_HOOK: "pre_tool", LANG: "C", FRESH: "é\nü" };
    expect(await seen("project", set)).toEqual({ ...HOST, ...marker, ...set });
  });

  const TELEMETRY = { TRACEPARENT: "stale", TRACESTATE: "stale", BAGGAGE: "a=b", OTEL_SERVICE_NAME: "agent" };

  it.each(["user", "project"] as const)("gives a %s hook its own trace and nothing else of telemetry", async (tier) => {
    const own = tier === "user" ? OWN : {};
    expect(await seen(tier, TELEMETRY, TELEMETRY, "none")).toEqual({ ...HOST, ...own, ...marker });
    const trace = { traceparent: "00-a-b-01", tracestate: "vendor=1" };
    expect(await seen(tier, TELEMETRY, TELEMETRY, trace)).toEqual({
      ...HOST,
      ...own,
      ...marker,
      TRACEPARENT: "00-a-b-01",
      TRACESTATE: "vendor=1",
    });
  });

  it("leaves the variables of telemetry to a process that is no hook", async () => {
    expect(await seen("user", {}, TELEMETRY)).toEqual({ ...HOST, ...OWN, ...marker, ...TELEMETRY });
  });

  it("does not let a call change the marker", async () => {
    expect(await seen("user", { HOOKLINE_RUN_ID: "mine" })).toMatchObject(marker);
  });

  it("adds its marker to the one that the host runs under", async () => {
    const under = await seen("user", {}, { HOOKLINE_RUN_ID: "outer.7" });
    expect(under["HOOKLINE_RUN_ID"]).toBe(`outer.7/env-${path}.1`);
  });

  it("drops a marker that is not one", async () => {
    expect(await seen("user", {}, { HOOKLINE_RUN_ID: "no marker" })).toMatchObject(marker);
  });
});
