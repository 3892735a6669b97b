import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { forkSession } from "../../src/agent/branch.ts";
import { startBench } from "./bench.ts";

const watching = `
  import { appendFileSync } from "node:fs";
  let made = 0;
  export default function (pi) {
    made += 1;
    const own = Math.random().toString(36).slice(2, 8);
    const log = (text) => appendFileSync(process.cwd() + "/" + LOG, text + "\\n");
    log("factory " + made + " " + own);
    for (const name of ["session_start", "session_shutdown", "session_switch", "session_fork"])
      pi.on(name, (event) => log(name + " " + (event.reason ?? "") + " " + own));
  }
`;

/** The lines of a log with the names of the instances replaced by numbers, in order of appearance. */
function lines(path: string): string[] {
  const names: string[] = [];
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const name = line.split(" ").at(-1) as string;
      if (!names.includes(name)) names.push(name);
      return line.replace(name, `#${names.indexOf(name) + 1}`);
    });
}

const module = (log: string): string => watching.replace('process.cwd() + "/" + LOG', JSON.stringify(log));

test("a pi extension and its module are loaded again for each session; the old instance is told of the end, the new one of the start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-renew-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  const bench = await startBench({
    replies: [{ text: "One." }, { text: "Two." }],
    files: { "~/.pi/agent/extensions/watch.ts": module(log) },
  });
  const { agent } = bench;
  await agent.prompt("First");
  const first = agent.core.store.getSessionFile() as string;
  await agent.prompt("/new");
  await agent.prompt("Second");
  await agent.prompt(`/resume ${first}`);
  const entry = agent.core.store.getBranch().find((one: any) => one.message?.role === "user")?.id as string;
  await forkSession(agent, entry);
  await bench.close();
  expect(lines(log)).toEqual([
    "factory 1 #1",
    "session_start startup #1",
    "session_shutdown new #1",
    "factory 1 #2",
    "session_start new #2",
    "session_switch new #2",
    "session_shutdown resume #2",
    "factory 1 #3",
    "session_start resume #3",
    "session_switch resume #3",
    "session_shutdown fork #3",
    "factory 1 #4",
    "session_start fork #4",
    "session_fork  #4",
    "session_shutdown quit #4",
  ]);
});

test("hooks of the other dialects persist from session to session, with their state", async () => {
  const bench = await startBench({
    replies: [{ text: "One." }, { text: "Two." }],
    files: {
      "~/.omp/agent/extensions/count.ts": `
        let turns = 0;
        export default function (pi) {
          pi.on("turn_start", () => { turns += 1; });
          pi.registerCommand("turns", { handler: async (_, ctx) => pi.setSessionName("turns " + turns) });
        }`,
    },
  });
  await bench.agent.prompt("First");
  await bench.agent.prompt("/new");
  await bench.agent.prompt("Second");
  await bench.agent.prompt("/turns");
  expect(bench.agent.core.store.getSessionName()).toBe("turns 2");
  expect(bench.hooks.hooks().map(({ hook }) => hook.metrics.runs)).toEqual([2]);
});

test("objects kept from an ended session do nothing and are reported once; the command continues in the new one", async () => {
  const bench = await startBench({
    replies: [{ text: "One." }],
    files: {
      "~/.pi/agent/extensions/keep.ts": `
        export default function (pi) {
          pi.registerCommand("leave", {
            handler: async (_, ctx) => {
              let kept;
              const timer = setInterval(() => { pi.setSessionName("by the old one"); kept?.abort(); }, 1);
              await ctx.newSession({ withSession: async (next) => { kept = undefined; } });
              await new Promise((done) => setTimeout(done, 20));
              clearInterval(timer);
              pi.sendMessage({ customType: "late", content: "from the old session", display: true });
              ctx.sessionManager.appendSessionInfo("named by " + typeof ctx.ui.notify);
            },
          });
        }`,
    },
  });
  await bench.agent.prompt("First");
  const old = bench.agent.core.store.getSessionFile() as string;
  const before = readFileSync(old, "utf8");
  await bench.agent.prompt("/leave");
  expect(readFileSync(old, "utf8")).toBe(before);
  expect(bench.agent.core.store.getSessionName()).toBe("named by function");
  expect(bench.agent.core.store.getEntries().some((entry: any) => entry.customType === "late")).toBe(false);
  expect(bench.diagnostics.map(({ code }) => code)).toEqual(["STALE_CONTEXT"]);
});

test("contributions of extensions exist once in the next session", async () => {
  const bench = await startBench({
    replies: [],
    files: {
      "~/.pi/agent/extensions/good.ts":
        "export default (pi) => { pi.registerCommand('here', { handler: async () => {} }); };",
    },
  });
  await bench.agent.prompt("/new");
  expect(bench.hooks.report.sources.map(({ state }) => state)).toEqual(["runs"]);
  expect([...bench.hooks.contributions.all("command").keys()]).toEqual(["here"]);
});
