import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { judge } from "../../src/commands/judge.ts";
import { Place } from "../undo/support/session.ts";

let place: Place;

beforeEach(() => {
  place = new Place();
  place.run(
    "git init -q -b main; echo a > a; mkdir d; echo d > d/d; git add .; git commit -qm one; echo b > a; git commit -qam two; git branch old HEAD~1; git checkout -q -b topic; echo t > notes; echo t > .env; git add -f notes .env; git commit -qm topic; git checkout -q main",
  );
});

afterEach(() => place.end());

const IGNORED = "echo .env > .git/info/exclude; echo mine > .env";
const UNTRACKED = "echo mine > notes";
const DETACHED = "git checkout -q --detach; echo z > z; git add z; git commit -qm z";
const SUBMODULE =
  "git init -q ../o; (cd ../o; echo s > s; git add s; git commit -qm s); git -c protocol.file.allow=always submodule -q add ../o sub; git commit -qm sub";

const AMENDED = "git commit -q --allow-empty -m x; git commit -q --amend --allow-empty -m other";

type Row = readonly [setup: string, command: string];

const LOSES: readonly Row[] = [
  [UNTRACKED, "git reset --hard topic"],
  [UNTRACKED, "git checkout topic -- notes"],
  [UNTRACKED, "git checkout topic ."],
  [UNTRACKED, "git restore --source=topic notes"],
  [UNTRACKED, "git checkout -f topic"],
  [UNTRACKED, "git switch --discard-changes topic"],
  ["mkdir notes; echo mine > notes/x", "git reset --hard topic"],
  ["git rm -q --cached a; echo mine > a", "git reset --hard"],
  [IGNORED, "git checkout topic"],
  [IGNORED, "git checkout -b new topic"],
  [IGNORED, "git switch topic"],
  [IGNORED, "git merge topic"],
  [IGNORED, "git cherry-pick topic"],
  [IGNORED, "git rebase topic"],
  [DETACHED, "git checkout main"],
  [DETACHED, "git switch -c new main"],
  ["git branch other topic", "git branch -D topic other"],
  [`git worktree add -q wt; ${IGNORED}; echo mine > wt/.env`, "git worktree remove wt"],
  [`git worktree add -q --detach wt; cd wt; ${DETACHED}`, "git worktree remove wt"],
  ["mkdir n; echo x > n/x", "git clean -fd"],
  [`${SUBMODULE}; echo x > sub/n`, "git submodule foreach --recursive git clean -fd"],
  [`${SUBMODULE}; echo x > sub/s`, "git reset --hard --recurse-submodules"],
  [`${SUBMODULE}; echo x > sub/s; git config submodule.recurse true`, "git reset --hard"],
  ["echo x > a", "git checkout-index -f a"],
  ["echo x > a; git add a; echo y > a", "git read-tree HEAD"],
  [AMENDED, "git -c gc.reflogExpireUnreachable=now gc --prune=now"],
  [AMENDED, "git reflog expire --expire=now --all && git gc --prune=now"],
];

const KEEPS: readonly Row[] = [
  [UNTRACKED, "git checkout topic"],
  [UNTRACKED, "git reset --hard old"],
  ["echo t > notes", "git checkout -f topic"],
  [`${IGNORED}; echo t > .env`, "git checkout topic"],
  [`${IGNORED}; git rm -q --cached a; git commit -qm a`, "git merge old"],
  [IGNORED, "git checkout old"],
  [DETACHED, "git checkout -b saved"],
  [`${DETACHED}; git tag kept`, "git checkout main"],
  ["git worktree add -q wt", "git worktree remove wt"],
  ["mkdir n; echo x > n/x", "git clean -f"],
  [UNTRACKED, "git clean -fd -e notes"],
  ["git init -q in; echo x > in/x", "git clean -fd"],
  [`${SUBMODULE}; echo x > sub/s`, "git submodule foreach git clean -fd"],
  [`${SUBMODULE}; echo x > sub/s`, "git reset --hard"],
  ["echo x > a", "git checkout-index -f d/d"],
  ["echo x > a; git add a", "git restore --source=HEAD a"],
  [AMENDED, "git gc --prune=now"],
  ["git notes add -m hi", "git notes remove"],
];

describe.each([
  { does: "loses something", verdict: "ask", rows: LOSES },
  { does: "loses nothing", verdict: "allow", rows: KEEPS },
])("a command that $does", ({ verdict, rows }) => {
  it.each(rows)("after `%s`: %s", async (setup, command) => {
    place.run(setup);
    const { project, personHome } = place;
    const judged = await judge(command, { project, home: personHome, temp: [], gitTimeoutMs: 60_000 });
    expect(judged.verdict, judged.reason).toBe(verdict);
  });
});
