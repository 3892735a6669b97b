import { existsSync, readFileSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { runProgram } from "./support/program.ts";
import { Rigged } from "./support/rigged.ts";

/** A daemon of the fixture's, which the program's commands are tried on. */
async function served(): Promise<Rigged> {
  const at = new Rigged("");
  onTestFinished(() => at.close());
  // The client is Node's where no native one is given; the daemon is that of the fixture.
  await at.begin();
  await expect.poll(() => existsSync(at.place.socket)).toBe(true);
  return at;
}

test("a daemon ends on request, is killed if it does not answer, and is started again", async () => {
  const at = await served();
  const { pid } = at;
  const run = (...args: string[]) => runProgram(at, ["bridge", ...args]);
  expect(await run("stop")).toEqual({ code: 0, out: `${at.project}: process ${pid} has ended\n`, err: "" });
  expect([at.place.socket, at.place.pid, at.place.table].map((path) => existsSync(path))).toEqual([
    false,
    false,
    false,
  ]);
  expect(await run("stop")).toEqual({ code: 0, out: "No daemon runs.\n", err: "" });
  await at.begin();
  await expect.poll(() => existsSync(at.place.socket)).toBe(true);
  const second = at.pid;
  process.kill(second, "SIGSTOP");
  const killed = `${at.project}: process ${second} did not answer and was killed\n`;
  expect(await run("restart", "--all")).toEqual({ code: 0, out: killed, err: "" });
  // The file of its number is there before the number is.
  await expect.poll(() => ![0, second].includes(at.pid)).toBe(true);
  expect(readFileSync(`/proc/${at.pid}/cmdline`, "utf8")).toContain("hookline.js\0bridge\0daemon");
  // One is enough.
  const { code, err } = await run("daemon");
  expect([code, err]).toEqual([1, `A daemon serves ${at.project} already.\n`]);
});

test("a daemon that is only slow ends by itself, and is not killed", async () => {
  const at = await served();
  const { pid } = at;
  process.kill(pid, "SIGSTOP");
  const stopping = runProgram(at, ["bridge", "stop"]);
  // Nobody has answered for some time, and the signal waits for the daemon to go on.
  const status = (): string => readFileSync(`/proc/${pid}/status`, "utf8");
  const isTold = (): boolean => (BigInt(`0x${/^ShdPnd:\s*(\S+)/m.exec(status())?.[1]}`) & (1n << 14n)) !== 0n;
  await expect.poll(isTold).toBe(true);
  process.kill(pid, "SIGCONT");
  expect(await stopping).toEqual({ code: 0, out: `${at.project}: process ${pid} has ended\n`, err: "" });
  expect(at.log()).toContain("ended: told to end");
});

test("a daemon whose socket is taken away ends, and the next call has another", async () => {
  const at = await served();
  const { pid } = at;
  rmSync(at.place.socket);
  rmSync(at.place.pid);
  await at.begin();
  await expect.poll(() => at.log()).toContain("another daemon has taken its place");
  // The first may see that its socket is gone before the second has its own.
  await expect.poll(() => existsSync(at.place.socket)).toBe(true);
  expect(at.pid).not.toBe(pid);
});

test("a daemon whose socket is taken away as soon as it is there ends as well", async () => {
  const at = new Rigged("");
  onTestFinished(() => at.close());
  await at.begin();
  // No wait between two looks: the daemon has no time for another step.
  for (const until = Date.now() + 60_000; !existsSync(at.place.socket) && Date.now() < until; );
  rmSync(at.place.socket);
  await expect.poll(() => at.log()).toContain("the socket was removed");
});

test("what no host and no event is gets a refusal that most hosts know, and the names there are", async () => {
  const at = new Rigged("");
  onTestFinished(() => at.close());
  const none = await runProgram(at, ["bridge", "call", "nobody", "PreToolUse"]);
  expect(none).toMatchObject({ code: 2, out: "" });
  expect(none.err).toContain("HOST is not an agent that hookline knows: nobody");
  const wrong = await runProgram(at, ["bridge", "call", "nobody", "PreToolUse", "--deadline", "soon"]);
  expect(wrong).toMatchObject({ code: 2, out: "" });
});
