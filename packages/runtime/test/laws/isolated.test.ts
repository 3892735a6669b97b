import { describe, expect, onTestFinished, test } from "vitest";
import type { Dialect } from "../../src/dialect/dialect.ts";
import { dialectOf, openWith } from "./session.ts";

const CALL = { toolCallId: "c", tool: "bash", args: { command: "dirty" } };

/** A lane with a guard that takes note of the commands it judges, beside a hook that changes them. */
function lane(id: string, judged: unknown[], { isolated, edits }: { isolated: boolean; edits?: string }): Dialect {
  const dialect = dialectOf(id, "tool.before", (instance) => {
    instance.on({
      event: "tool.before",
      run: ({ args }: { args: { command: string } }) => {
        judged.push(args.command);
        return args.command === "bad" ? { decision: "deny", reason: "bad" } : undefined;
      },
    });
    if (edits !== undefined) instance.on({ event: "tool.before", run: () => ({ args: { command: edits } }) });
  });
  const [own] = dialect.lanes;
  const rows = own?.rows.map((row) => ({ ...row, feeds: {}, ...(isolated && { isolated: true as const }) })) ?? [];
  return { ...dialect, lanes: [{ ...own, rows } as never] };
}

async function asked(dialects: readonly Dialect[]) {
  const { session, runtime } = await openWith({ dialects });
  onTestFinished(() => runtime.close());
  return (await session.emit("tool.before", CALL)).answer;
}

describe("a lane whose guards judge the call as it came to the lane", () => {
  test("is not asked again about what one of its own hooks makes of it; any other lane is", async () => {
    const judged: unknown[] = [];
    expect(await asked([lane("a", judged, { isolated: true, edits: "clean" })])).toEqual({
      args: { command: "clean" },
    });
    expect(judged).toEqual(["dirty"]);
    const usual: unknown[] = [];
    await asked([lane("a", usual, { isolated: false, edits: "clean" })]);
    expect(usual).toEqual(["dirty", "clean"]);
  });

  test("is asked again, and may refuse, when another lane changes the call", async () => {
    const judged: unknown[] = [];
    const other = lane("b", [], { isolated: false, edits: "bad" });
    const answer = await asked([lane("a", judged, { isolated: true, edits: "clean" }), other]);
    expect(judged).toEqual(["dirty", "bad"]);
    expect(answer).toMatchObject({ decision: "deny", reason: "bad" });
  });
});
