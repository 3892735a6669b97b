import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHookRuntime } from "@hookline/runtime/session";
import { describe, expect, it, onTestFinished } from "vitest";
import { HOSTS } from "../../src/hosts.ts";
import { hooksOf } from "./host-hooks.ts";

/** A call as a host told its hooks of it, run with a model of this name, and what hooks must be asked about it. */
interface Recorded {
  readonly host: string;
  readonly model: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** A tool and some of its arguments, or a sub-agent's prompt. */
  readonly asked: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>] | string)[];
}

const path = join(import.meta.dirname, "recorded/models.json");
const recorded = JSON.parse(readFileSync(path, "utf8")) as readonly Recorded[];

describe("calls as agents told of them, under the names of models", () => {
  for (const [number, { host: name, model, event, payload, asked }] of recorded.entries())
    it(`${number + 1}: ${name} with ${model} asks about ${asked.map((one) => (typeof one === "string" ? "a sub-agent" : one[0])).join(", ")}`, async () => {
      const runtime = createHookRuntime({ dialects: [] });
      onTestFinished(() => runtime.close());
      const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" } });
      const seen: unknown[] = [];
      session.on("tool.before", ({ tool, args }) => void seen.push([tool, args]));
      session.on("agent.spawn", ({ prompt }) => void seen.push(prompt));
      const host = await HOSTS[name.split(" ")[0] ?? ""]?.();
      const row = host?.events[event];
      const call = row?.read(payload, {});
      if (row === undefined || call === undefined) throw new Error(`${name} has no event ${event}`);
      await row.ask(call, hooksOf(session));
      for (const one of asked)
        expect(seen).toContainEqual(typeof one === "string" ? one : [one[0], expect.objectContaining(one[1])]);
    });
});
