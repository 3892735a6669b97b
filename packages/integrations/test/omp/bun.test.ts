import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFiles } from "./kit.ts";

/** Runs a handler with this body, which uses its engine's globals; `$` is the global in which it leaves its result. */
async function asked(body: string): Promise<{ value: any; root: string; [Symbol.asyncDispose](): PromiseLike<void> }> {
  const source = `export default (pi) => pi.on("agent_start", async () => { globalThis.ompAsked = await (async () => { ${body} })(); });`;
  const opened = await openFiles({ "home/.omp/agent/hooks/pre/uses.ts": source });
  writeFileSync(join(opened.root, "project/a.json"), '{"n":1}');
  await opened.session.emit("agent.start", {});
  return {
    value: (globalThis as any).ompAsked,
    root: opened.root,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

test("a file is read, asked for and written by its path below the session's folder", async () => {
  await using run = await asked(`
    const file = Bun.file("a.json");
    const gone = Bun.file("none.txt");
    const written = await Bun.write("new/deep.txt", "hällo");
    await Bun.write(Bun.file("copy.json"), file);
    return [await file.text(), await file.json(), file.size, await file.exists(), await gone.exists(), gone.size, written];
  `);
  expect(run.value).toEqual(['{"n":1}', { n: 1 }, 7, true, false, 0, 6]);
  expect(readFileSync(join(run.root, "project/new/deep.txt"), "utf8")).toBe("hällo");
  expect(readFileSync(join(run.root, "project/copy.json"), "utf8")).toBe('{"n":1}');
});

test("a program's output can be read, and its end waited for", async () => {
  await using run = await asked(`
    const one = Bun.spawn(["sh", "-c", "echo out; echo err >&2; exit 3"], { stdout: "pipe" });
    const text = await new Response(one.stdout).text();
    const errors = await new Response(one.stderr).text();
    const code = await one.exited;
    const two = Bun.spawn({ cmd: ["sleep", "60"] });
    two.kill();
    await two.exited;
    return [text, errors, code, one.exitCode, two.killed];
  `);
  expect(run.value).toEqual(["out\n", "err\n", 3, 3, true]);
});

test("absent members say so, and a module's own Bun is used", async () => {
  await using run = await asked(`
    const said = (() => { try { return Bun.serve({}); } catch (thrown) { return thrown.message; } })();
    await Bun.sleep(1);
    const own = (() => { const Bun = 7; return Bun; })();
    return [said, own, typeof Bun, typeof globalThis.Bun];
  `);
  expect(run.value).toEqual([expect.stringContaining("Bun.serve is not available"), 7, "object", "undefined"]);
});
