import { afterAll, describe, expect, it } from "vitest";
import { judge } from "../../src/commands/judge.ts";
import { CORPUS } from "./corpus.ts";
import { fixture } from "./fixture.ts";
import { canRun, everything, lostBy } from "./lost.ts";

const dirty = fixture("dirty");
const clean = fixture("clean");
afterAll(() => {
  dirty.remove();
  clean.remove();
});

/** Rows that act on the fixture alone: no other place, no other machine, no person's rights. */
const LOCAL = CORPUS.filter(
  ({ group, command }) =>
    /^(?:rm-plain|overwrite|git|benign-git|benign-build)$/.test(group) &&
    !/(?:^|[\s"'=>])\/(?!tmp\/|dev\/null)|~|HOME|\.\.|sudo|amend|docker|npm|npx|cargo|mvn|gradle|go |pip|curl|wget|https|kill|eval|base64|\|\s*(?:ba)?sh|bash|\bsh\b|make|tmux|screen|python|node|\/dev\/sd|dd if|worktree|submodule/.test(
      command,
    ),
);

/** Every so many rows are run, since each takes a second; `HOOKLINE_ORACLE_ROWS=1` runs all. */
const every = (rows: number): number => Number(process.env["HOOKLINE_ORACLE_ROWS"] ?? rows);

describe.skipIf(!canRun())("what bash and git really lose", () => {
  it("holds what a command goes on doing after bash has ended", () => {
    const copy = dirty.copy();
    try {
      expect(lostBy("(sleep 0.3; git reset --hard) & true", copy)).not.toEqual([]);
      expect(lostBy("true > >(sleep 0.3; rm notes.txt)", copy)).not.toEqual([]);
    } finally {
      copy.remove();
    }
  });

  for (const [state, made] of [
    ["dirty", dirty],
    ["clean", clean],
  ] as const) {
    const before = everything(made);
    for (const { command } of LOCAL.filter((_, at) => at % every(state === "dirty" ? 9 : 20) === 0))
      it(`is stopped in the ${state} folder: ${command}`, { timeout: 60_000 }, async () => {
        const copy = made.copy();
        try {
          const { verdict } = await judge(command, { project: copy.project, home: copy.home });
          const lost = lostBy(command, copy, before);
          const isStopped = verdict === "ask" || verdict === "deny";
          if (lost.length > 0) expect(isStopped, `lost ${lost.join(", ")}`).toBe(true);
          else if (
            /^(?:rm|git (?:reset|checkout|restore|clean|stash|branch|switch))\b/.test(command) &&
            !/\.git\b|\$|-r .*\*|rm -rf (?:\.|\*)/.test(command)
          )
            expect(isStopped).toBe(false);
        } finally {
          copy.remove();
        }
      });
  }
});
