import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { jcli } from "../../../integrations/src/jcli/hooks/index.ts";
import type { Candidate, Dialect } from "../../src/dialect/dialect.ts";
import type { Instance } from "../../src/hook/instance.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";

type Load = (instance: Instance) => void | Promise<void>;

const listen = (instance: Instance): void => void instance.on({ event: "stop", run: () => undefined });

/** A dialect whose definitions are functions. */
function dialectOf(definitions: Readonly<Record<string, Load>>): Dialect {
  return {
    id: "jcli",
    lanes: jcli.lanes,
    discover: () => ({
      searched: [],
      diagnostics: [],
      candidates: Object.entries(definitions).map(([path, definition]): Candidate => {
        return { lane: "jcli", source: { path, tier: "user" }, state: "runs", files: [], definition };
      }),
    }),
    load: ({ definition }, instance) => (definition as Load)(instance),
  };
}

test("what is loaded at once, later or not at all is told alike and keeps its place", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-load-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const began: string[] = [];
  const noted = (name: string, load: Load): Record<string, Load> => ({
    [name]: (instance) => {
      began.push(name);
      return load(instance);
    },
  });
  const dialect = dialectOf({
    ...noted("late", async (instance) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      listen(instance);
      began.push("late was loaded");
    }),
    ...noted("throws", (instance) => {
      listen(instance);
      throw new Error("at once");
    }),
    ...noted("at once", listen),
    ...noted("rejects", async (instance) => {
      listen(instance);
      await Promise.resolve();
      throw new Error("later");
    }),
    ...noted("idle", () => {}),
  });
  const runtime = createHookRuntime({ dialects: [dialect], home, env: {} });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home } });
  expect(began).toEqual(["late", "late was loaded", "throws", "at once", "rejects", "idle"]);
  const { sources, diagnostics } = session.report;
  expect(sources.map(({ path, state, order, events }) => [path, state, order, events])).toEqual([
    ["late", "runs", 1, ["stop"]],
    ["throws", "broken", undefined, []],
    ["at once", "runs", 2, ["stop"]],
    ["rejects", "broken", undefined, []],
    ["idle", "unreachable", undefined, []],
  ]);
  expect(diagnostics.map(({ code, source }) => [code, source?.path])).toEqual([
    ["LOAD_FAILED", "throws"],
    ["LOAD_FAILED", "rejects"],
  ]);
  expect(session.hooks().map(({ hook }) => hook.id)).toEqual(["jcli:late#stop[0]", "jcli:at once#stop[0]"]);
  expect(session.report).toBe(session.report);
});
