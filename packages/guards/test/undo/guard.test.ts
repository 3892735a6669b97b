import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRuntime } from "@hookline/runtime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commands } from "../../src/commands/guard.ts";
import { coverageOf, labelOf } from "../../src/cover.ts";
import type { GuardSession } from "../../src/session.ts";
import { undo } from "../../src/undo/guard.ts";
import { openUndo } from "../../src/undo/undo.ts";
import { copyOf, differences } from "./support/copy.ts";
import { Place } from "./support/session.ts";

let place: Place;

beforeEach(() => {
  place = new Place();
});

afterEach(() => place.end());

/** A session with the guard, in which calls of tools run commands of a shell. */
async function withGuard(options: { project?: string; home?: string; refuses?: boolean } = {}) {
  const { project = place.project, home = place.home } = options;
  const notices: string[] = [];
  const runtime = createRuntime({ dialects: [], home: place.personHome });
  const session = await runtime.open({ scene: { sessionId: "1", cwd: project } });
  const own: GuardSession = { cwd: project, home: place.personHome, hooklineHome: home };
  for (const one of undo({}, own)) session.on(one);
  if (options.refuses === true) session.on("tool.before", () => ({ decision: "deny", reason: "no" }));
  const covers = coverageOf(own);
  let count = 0;
  const call = async (tool: string, args: Record<string, unknown>, act: () => unknown): Promise<string> => {
    count += 1;
    const who = { tool, toolCallId: `call-${count}`, args };
    const before = await session.emit("tool.before", who);
    const blocked = before.answer.decision === "deny";
    if (!blocked) await act();
    const result = { content: [{ type: "text", text: "done" } as const], details: {}, isError: blocked, blocked };
    const after = await session.emit("tool.after", { ...who, ...result });
    notices.push(...[...before.notices, ...after.notices].map(({ text }) => text));
    return (after.answer.remark ?? []).join(" ");
  };
  const bash = (command: string): Promise<string> => call("bash", { command }, () => place.run(command));
  const labels = (): string[] =>
    openUndo({ ...place, project, home })
      .list()
      .map(({ label }) => label);
  return { bash, call, covers, labels, notices, session, close: () => runtime.close() };
}

test("a checkpoint is made before a call that may change something, and none before one that reads", async () => {
  place.write("a", "a");
  const { bash, call, labels, close } = await withGuard();
  await bash("cat a; git status; ls -la | wc -l");
  await call("read", { path: "a" }, () => {});
  expect(labels()).toEqual([]);
  await bash("echo b > a");
  await call("write", { path: "n", content: "n" }, () => place.write("n", "n"));
  await call("mcp__files__save", { name: "m" }, () => place.write("m", "m"));
  await bash("true && make");
  expect(labels()).toEqual(["true && make", "mcp__files__save", "write n", "echo b > a"]);
  await close();
});

test("what a call lost is told once, with the way back, and what it wrote is not", async () => {
  place.run(
    "git init -q -b main; echo 1 > a; echo 1 > b; git add .; git commit -qm one; git branch topic; echo edit > a; echo u > u; echo v > v; echo staged > s; git add s",
  );
  const before = copyOf(place.project, (path) => !path.startsWith(".git"));
  const { bash, notices, close } = await withGuard();
  expect(await bash("echo more >> u; mkdir d; mv v d/v; echo n > n; git mv b c")).toBe("");
  expect(await bash("mv d/v v; rmdir d; echo u > u; rm n; git mv c b")).toBe(
    "Deleted 1 file that git did not have: n. `hookline undo 2` brings it back.",
  );
  const lost = await bash("rm u v; git reset -q --hard; git branch -q -D topic");
  expect(lost).toBe(
    "Deleted 3 files that git did not have: s, u, v. Discarded edits in 1 file: a. Deleted branch topic. `hookline undo 3` brings it back.",
  );
  expect(await bash("true; touch b")).toBe("");
  expect(notices).toHaveLength(2);
  expect(await bash("git stash -u; git stash list")).toBe("");
  await openUndo({ ...place, timeLimitMs: 60_000 }).restore(3, { removesNew: true });
  expect(
    differences(
      copyOf(place.project, (path) => !path.startsWith(".git")),
      before,
    ),
  ).toEqual([]);
  await close();
});

test("calls at the same time each have the state before them", async () => {
  place.write("a", "1");
  place.write("b", "1");
  const { bash, call, close } = await withGuard();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow = call("bash", { command: "rm a" }, async () => {
    await promise;
    place.run("rm a");
  });
  const quick = await bash("rm b");
  resolve();
  expect([quick, await slow].map((text) => text.replace(/\d+` /, "N` "))).toEqual(
    ["b", "a"].map((name) => `Deleted 1 file: ${name}. \`hookline undo N\` brings it back.`),
  );
  await close();
});

test("a call that another guard refuses leaves a checkpoint that the next call takes over", async () => {
  place.write("a", "1");
  const refusing = await withGuard({ refuses: true });
  expect(await refusing.bash("rm a")).toBe("");
  await refusing.close();
  const { bash, labels, close } = await withGuard();
  await bash("rm -f a");
  expect(labels()).toEqual(["rm -f a"]);
  await close();
});

describe("where no checkpoint can be made the call runs, and the person is told once", () => {
  test.each([
    ["the home folder", () => ({ project: place.personHome }), /^No undo here: .* is a home folder/],
    [
      "a home of hookline's that cannot be written",
      () => {
        writeFileSync(join(place.folder, "file"), "");
        return { home: join(place.folder, "file", "x") };
      },
      /^No undo here: the checkpoint could not be made: a part of its path is a file/,
    ],
  ])("%s", async (_, options, sentence) => {
    const { bash, notices, close } = await withGuard(options());
    await bash("touch made");
    await bash("touch made");
    expect(existsSync(join(place.project, "made"))).toBe(true);
    expect(notices).toEqual([expect.stringMatching(sentence)]);
    expect(notices[0]).toMatch(/Calls go on without a checkpoint\.$/);
    await close();
  });
});

test("a repository that is made or removed during the session is noticed", async () => {
  place.write("sub/a", "1");
  const { bash, close } = await withGuard({ project: join(place.project, "sub") });
  await bash("touch b");
  place.run("git init -q; git add .; git commit -qm one");
  await bash("rm -rf .git sub/a");
  const undoIt = openUndo({ ...place, project: join(place.project, "sub"), timeLimitMs: 60_000 });
  const last = undoIt.list()[0]?.number ?? 0;
  await undoIt.restore(last);
  expect(place.run("git log --format=%s; cat sub/a")).toBe("one\n1");
  await close();
});

test("other guards learn what the checkpoint of their call covers, and it is made once", async () => {
  place.run("git init -q; echo '*.db' > .gitignore; head -c 1500000 /dev/zero > x.db; echo a > a");
  const { covers, labels, close } = await withGuard();
  const file = (name: string) => ({ kind: "files", paths: [join(place.project, name)] }) as const;
  const call = { toolCallId: "c", label: "rm a" };
  expect(await covers?.(call, [file("a")])).toBeUndefined();
  place.write("b", "later");
  expect(await covers?.(call, [{ kind: "repository", folder: place.project }])).toBeUndefined();
  expect(labels()).toEqual(["rm a"]);
  expect(await covers?.(call, [file("a"), file("x.db")])).toBe("x.db is not in the checkpoint (big)");
  expect(await covers?.(call, [file("../outside")])).toMatch(/not in the project/);
  await close();
});

test("coverage is off where no checkpoint can be made", async () => {
  mkdirSync(join(place.personHome, "x"));
  const { covers, close } = await withGuard({ project: place.personHome });
  const refusal = await covers?.({ toolCallId: "c", label: "x" }, []);
  expect(refusal).toMatch(/is a home folder or contains one/);
  await close();
});

test("wrong settings in code are thrown, and those of files hold", async () => {
  expect(() => undo({ keepDays: -1 })).toThrow("guards.undo.keepDays must be a whole number over 0");
  place.write("a", "1");
  const session = { cwd: place.project, home: place.personHome, hooklineHome: place.home };
  const own = { ...session, settings: { undo: { exclude: ["a"] } } };
  undo({}, own);
  const file = { kind: "files", paths: [join(place.project, "a")] } as const;
  expect(await coverageOf(own)?.({ toolCallId: "c", label: "x" }, [file])).toBe(
    "a is not in the checkpoint (excluded)",
  );
  expect(readFileSync(join(place.project, "a"), "utf8")).toBe("1");
});

test("calls of the past get no checkpoint", async () => {
  place.write("a", "a");
  const { bash, labels, notices, close } = await withGuard();
  process.env["HOOKLINE_REPLAY"] = "1";
  try {
    await bash("rm a");
  } finally {
    delete process.env["HOOKLINE_REPLAY"];
  }
  expect([labels(), notices]).toEqual([[], []]);
  await close();
});

test("a file that is too big is not covered, although nothing else has changed since the last checkpoint", async () => {
  place.run(
    "git init -q; echo '*.bin' > .gitignore; mkdir data; echo k > data/keep.txt; git add -A; git commit -qm one",
  );
  const { bash, covers, close } = await withGuard();
  await bash("head -c 3000000 /dev/zero > data/model.bin");
  const lost = [{ kind: "files", paths: [join(place.project, "data")] }] as const;
  expect(await covers?.({ toolCallId: "next", label: "rm -rf data" }, lost)).toBe(
    "data/model.bin is not in the checkpoint (big)",
  );
  await close();
});

test("another call with the id of one that never ended gets a checkpoint of its own", async () => {
  place.write("a", "1");
  const { covers, labels, close } = await withGuard();
  await covers?.({ toolCallId: "call_0", label: "one" }, []);
  place.write("a", "2");
  await covers?.({ toolCallId: "call_0", label: "two" }, []);
  expect(labels()).toEqual(["two", "one"]);
  await close();
});

test("a call that is made again with the id of one that never ended gets a checkpoint of its own", async () => {
  const { session, labels, close } = await withGuard();
  const before = () => session.emit("tool.before", { tool: "bash", toolCallId: "call_0", args: { command: "rm a" } });
  place.write("a", "1");
  await before();
  place.write("a", "2");
  await before();
  expect(labels()).toEqual(["rm a", "rm a"]);
  await close();
});

test("the guards of a session ask about the checkpoints of this session alone", async () => {
  place.write("a", "1");
  const where = { cwd: place.project, home: place.personHome, hooklineHome: place.home };
  const own: GuardSession[] = [where, { ...where, settings: { undo: { exclude: ["a"] } } }];
  const runtime = createRuntime({ dialects: [], home: place.personHome });
  const sessions = await Promise.all(
    own.map(async (one, at) => {
      const session = await runtime.open({ scene: { sessionId: `${at}`, cwd: place.project } });
      for (const guard of [...commands({}, one), ...undo({}, one)]) session.on(guard);
      return session;
    }),
  );
  const verdicts = (toolCallId: string) =>
    Promise.all(
      sessions.map(async (session) => {
        const { answer } = await session.emit("tool.before", { tool: "bash", toolCallId, args: { command: "rm a" } });
        return answer.decision;
      }),
    );
  expect(await verdicts("1")).toEqual([undefined, "ask"]);
  // The last checkpoint of the project is that of the other session.
  expect(await verdicts("1")).toEqual([undefined, "ask"]);
  await runtime.close();
});

test("a folder of projects with checkpoints is not taken for the project of one in it", async () => {
  const inner = join(place.project, "inner");
  place.write("other/o", "1");
  place.write("inner/i", "1");
  await openUndo(place).checkpoint("outer");
  const undoIt = openUndo({ ...place, project: inner });
  expect(await undoIt.checkpoint("rm i")).toMatchObject({ checkpoint: { number: 1 } });
  place.write("other/o", "2");
  expect(await undoIt.latest()).toMatchObject({ because: expect.stringContaining("Nothing to undo") });
});

test.each([
  ["bash", { command: "rm a" }, "rm a"],
  ["write", { path: "a", content: "" }, "write a"],
  ["NotebookEdit", { notebook_path: "n.ipynb" }, "NotebookEdit n.ipynb"],
  ["mcp__files__save", { name: "m" }, "mcp__files__save"],
  ["bash", { command: "x".repeat(300) }, "x".repeat(200)],
])("the guards of a call of %s with %j know its checkpoint by one label", (tool, args, label) => {
  expect(labelOf(tool, args)).toBe(label);
});
