import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Workplace } from "../support/cli.ts";

const GUARD = 'export default (pi) => { pi.on("tool_call", () => undefined); };\n';
const RUN = ["-p", "--script", "s.yaml", "go"];

/** A project of two hooks with its lock, as a colleague's clone has it. */
async function locked(): Promise<Workplace> {
  const at = new Workplace();
  onTestFinished(() => at.remove());
  at.write("s.yaml", "replies: [{ text: done }]\n");
  at.write(".pi/extensions/guard.ts", GUARD);
  at.write(".jcli/hooks.yaml", "pre_tool_execution: [{ command: 'true' }]\n");
  expect((await at.run(["trust", "approve", "--lock", "--yes"])).code).toBe(0);
  return at;
}

const BREACHES: Readonly<Record<string, readonly [change: (at: Workplace) => void, said: RegExp]>> = {
  "a guard was deleted": [
    (at) => rmSync(join(at.project, ".pi/extensions/guard.ts")),
    /\.pi\/extensions\/guard\.ts \(pi\) of hookline\.lock was not found/,
  ],
  "a guard was changed": [
    (at) => at.write(".pi/extensions/guard.ts", `${GUARD}// changed\n`),
    /guard\.ts has changed since it was locked/,
  ],
  "an entry was changed": [
    (at) => at.write(".jcli/hooks.yaml", "pre_tool_execution: [{ command: 'false' }]\n"),
    /hooks\.yaml:1 has changed since it was locked/,
  ],
  "a hook was added": [(at) => at.write(".hookline/extensions/new.ts", GUARD), /new\.ts is not locked/],
  "the lock is torn": [
    (at) => writeFileSync(join(at.project, "hookline.lock"), '{"version": 2, "hoo'),
    /hookline\.lock: it cannot be read/,
  ],
};

test("a lock that is met is not mentioned", async () => {
  const at = await locked();
  expect(await at.run(RUN)).toMatchObject({ code: 0, out: "done\n", err: "" });
  expect((await at.run(["hooks", "list", "--strict"])).code).toBe(0);
});

test.each(Object.entries(BREACHES))("where %s, every command says so without --frozen", async (_, [change, said]) => {
  const at = await locked();
  change(at);
  const ran = await at.run(RUN);
  expect([ran.code, ran.out]).toEqual([0, "done\n"]);
  expect(ran.err).toMatch(said);
  expect(ran.err).not.toContain("CI is set");
  expect((await at.run(RUN, { env: { CI: "true" } })).err).toContain("Here, where CI is set, add `--frozen`.");
  const list = await at.run(["hooks", "list", "--strict"]);
  expect(list.code).toBe(1);
  expect(list.out).toMatch(said);
  expect((await at.run(["doctor"])).out).toMatch(new RegExp(`BROKEN +lock .*${said.source}`));
  // The person's own setting ends the run before the model is asked.
  at.write("~/.hookline/settings.json", JSON.stringify({ frozen: true }));
  const ended = await at.run(RUN);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toMatch(said);
});

test("the setting frozen approves nothing, and a project cannot give it", async () => {
  const at = await locked();
  rmSync(join(at.home, ".hookline"), { recursive: true });
  at.write("~/.hookline/settings.json", JSON.stringify({ frozen: true }));
  const ran = await at.run(RUN);
  expect([ran.code, ran.out]).toEqual([1, ""]);
  expect(ran.err).toContain("guard.ts is locked, but nobody has approved it on this machine");
  expect((await at.run(["hooks", "--json"])).out).toContain('"untrusted"');
  at.write("~/.hookline/settings.json", "{}");
  at.write(".hookline/settings.json", JSON.stringify({ frozen: true }));
  const told = await at.run(RUN);
  expect(told.code).toBe(0);
  expect(told.err).toContain("frozen");
});
