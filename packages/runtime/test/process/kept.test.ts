import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import type { OpenCall } from "../../src/port/process.ts";
import { bench, fixture, fixturePath, PATHS, processesWith, token, until } from "./kit.ts";

/** A call with everything but what a trial is about; what the process says is gathered as text. */
function kept(
  command: OpenCall["command"] | string,
  rest: Partial<OpenCall> = {},
): { call: OpenCall; said: () => string } {
  let said = "";
  const call: OpenCall = {
    command: typeof command === "string" ? { shell: command } : command,
    cwd: "/",
    tier: "user",
    env: {},
    label: "test",
    onData: (chunk) => {
      said += Buffer.from(chunk).toString("latin1");
    },
    ...rest,
  };
  return { call, said: () => said };
}

describe.concurrent.each(PATHS)("a process that is kept (%s)", (path) => {
  it("is spoken to in both directions until its input is closed", async ({ expect }) => {
    await using now = bench({ path });
    const { call, said } = kept("while read line; do echo got $line; done; echo bye; echo last >&2; exit 4");
    const opened = await now.transport.open(call);
    expect(opened.pid).toBeGreaterThan(0);
    expect(await opened.write("one\n")).toBe(true);
    await until(() => said().includes("got one"));
    expect(await opened.write("two\n")).toBe(true);
    const report = await opened.end(10_000);
    expect(report).toMatchObject({ status: "exited", exitCode: 4, stdout: "", stderr: "last\n", survivors: [] });
    expect(said()).toBe("got one\ngot two\nbye\n");
    expect(await opened.write("three\n")).toBe(false);
  });

  it.for(["ignore-term.sh", "nested.sh", "background.sh", "set-apart.sh"])(
    "leaves nothing behind when it is ended: %s",
    async (name, { expect }) => {
      const mark = token();
      await using now = bench({ path });
      const { call, said } = kept(fixture(name, mark));
      const opened = await now.transport.open(call);
      await until(() => said().includes("started"));
      expect(await opened.end(10)).toMatchObject({ status: "aborted", survivors: [] });
      expect(processesWith(mark)).toEqual([]);
    },
  );

  it("leaves nothing behind when the transport is closed, and takes no place in the queue", async ({ expect }) => {
    const mark = token();
    await using now = bench({ path, concurrency: 1 });
    const { call, said } = kept(fixture("nested.sh", mark));
    const opened = await now.transport.open(call);
    await until(() => said().includes("started"));
    const other = {
      command: { shell: "echo free" },
      cwd: "/",
      tier: "user",
      env: {},
      timeoutMs: 20_000,
      label: "o",
    } as const;
    expect(await now.transport.run(other)).toMatchObject({ status: "exited", stdout: "free\n" });
    await now.transport.close();
    expect(await opened.ended).toMatchObject({ status: "aborted", survivors: [] });
    expect(processesWith(mark)).toEqual([]);
  });

  it("is held up while its listener is busy", async ({ expect }) => {
    await using now = bench({ path });
    let seen = 0;
    const free = Promise.withResolvers<void>();
    const { call } = kept("yes", {
      onData: (chunk) => {
        seen += chunk.length;
        return free.promise;
      },
    });
    const opened = await now.transport.open(call);
    await until(() => seen > 0);
    const held = seen;
    await pause(200);
    expect(seen).toBe(held);
    free.resolve();
    await until(() => seen > held + 1_000_000);
    expect(await opened.end(10)).toMatchObject({ status: "aborted" });
  });

  it("holds a writer up that is faster than the program reads", async ({ expect }) => {
    await using now = bench({ path });
    const { call } = kept("sleep 60");
    const opened = await now.transport.open(call);
    let taken = false;
    const writing = opened.write("x".repeat(4 * 1024 * 1024)).then((done) => {
      taken = true;
      return done;
    });
    await pause(200);
    expect(taken).toBe(false);
    await opened.end(10);
    expect(await writing).toBe(false);
  });

  it("is waited for by a host that has nothing else to do", async ({ expect }) => {
    const host = promisify(execFile)(process.execPath, [fixturePath("keeper.ts"), path]);
    expect(await host).toEqual({ stdout: "exited 4\n", stderr: "" });
  });

  it("reports a program that cannot be started", async ({ expect }) => {
    await using now = bench({ path });
    const { call } = kept({ file: "/nowhere/at/all", args: [] });
    const opened = await now.transport.open(call);
    expect(opened.pid).toBeUndefined();
    expect(await opened.ended).toMatchObject({ status: "not-started", startError: { code: "ENOENT" } });
    expect(await opened.write("x")).toBe(false);
  });
});
