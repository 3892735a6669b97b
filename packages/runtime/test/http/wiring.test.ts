import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { approveEverything } from "../../src/consent/consent.ts";
import type { Dialect } from "../../src/dialect/dialect.ts";
import { field, isString, last, record, row } from "../../src/dialect/kit.ts";
import type { HttpCall, HttpReport } from "../../src/port/http.ts";
import { createHookRuntime } from "../../src/session/runtime.ts";
import { testHooks } from "../../src/testing/index.ts";
import { approvalOf, Project } from "../config/kit.ts";
import { during } from "./kit.ts";
import { answers, callOf, serve } from "./servers.ts";

/** A dialect whose hooks are files with a URL: what the server says is put before the prompt. */
const web: Dialect = {
  id: "web",
  lanes: [
    {
      id: "web",
      isolate: false,
      live: false,
      rows: [
        row<"prompt.before", { text: string }, { text?: string }, { text?: string }>({
          name: "prompt",
          of: "prompt.before",
          kind: "transform",
          schedule: "series",
          fold: record<{ text?: string }>({ text: last() }),
          read: field<{ text?: string }>({ text: isString }),
          failed: () => undefined,
          timeoutMs: 5000,
          view: { get: ({ text }) => ({ text }), put: ({ text }) => (text === undefined ? undefined : { text }) },
        }),
      ],
    },
  ],
  discover: ({ cwd, files }) => ({
    searched: [`${cwd}/.web`],
    diagnostics: [],
    candidates: (files.list(`${cwd}/.web`) ?? []).map(({ name }) => ({
      lane: "web",
      source: { path: `${cwd}/.web/${name}`, tier: "project" as const, dialect: "web" },
      state: "runs" as const,
      files: [`${cwd}/.web/${name}`, `${cwd}/covered.txt`],
      events: ["prompt"],
      definition: {},
    })),
  }),
  load({ source, events = [] }, instance, { transports }) {
    const url = readFileSync(source.path, "utf8");
    const run = async (told: object): Promise<object> => {
      const report = await transports.http.ask(callOf(url, { tier: source.tier, body: JSON.stringify(told) }));
      return {
        text:
          report.status === "answered"
            ? report.body
            : `${report.status} by ${report.isOurs ? "hookline" : "it"}: ${report.problem}`,
      };
    };
    for (const event of events) instance.on({ event, timeoutMs: 5000, run });
  },
};

/** A project with one hook, which has been approved with a file beside it. */
async function approved(url: string): Promise<Project> {
  const project = new Project();
  onTestFinished(() => project.remove());
  project.write(".web/hook", url);
  project.write("covered.txt", "1");
  await using opened = await project.open("trust", true, { dialects: [web] });
  project.store.approve((await opened.session.review()).map(approvalOf));
  return project;
}

const PROMPT = { text: "hello" };

test("a hook of a dialect asks its server over the runtime's own transport", async () => {
  const server = await during(serve(answers("from the server")));
  const project = await approved(server.url);
  // A review only reads.
  expect(server.connections).toBe(0);
  await using opened = await project.open("trust", false, { dialects: [web] });
  const { answer } = await opened.session.emit("prompt.before", PROMPT);
  expect(answer).toEqual({ text: '"from the server"' });
  expect(server.requests.map(({ body }) => body)).toEqual(['{"text":"hello"}']);
  await opened.runtime.close();
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("a hook whose approval no longer holds is not asked, and its guard is closed", async () => {
  const server = await during(serve(answers("from the server")));
  const project = await approved(server.url);
  await using opened = await project.open("trust", false, { dialects: [web] });
  project.write("covered.txt", "2");
  const { answer } = await opened.session.emit("prompt.before", PROMPT);
  const path = project.path("covered.txt");
  expect(answer).toEqual({ text: `refused by hookline: ${path} changed after it was approved` });
  expect(opened.diagnostics).toMatchObject([{ code: "TRUST_CHANGED", message: expect.stringContaining(path) }]);
  expect(server.connections).toBe(0);
});

test("an embedder's own transport takes the place of ours", async () => {
  const project = await approved("https://hooks.example.com/");
  const calls: HttpCall[] = [];
  const said: HttpReport = { status: "answered", httpStatus: 200, body: "own", bodyValid: true, queueMs: 0, runMs: 0 };
  const ask = async (call: HttpCall): Promise<HttpReport> => {
    calls.push(call);
    return said;
  };
  const open = () => Promise.reject(new Error("nothing is streamed here"));
  const http = { ask, open, close: async () => {} };
  const runtime = createHookRuntime({
    dialects: [web],
    consent: approveEverything,
    home: project.home,
    transports: { http },
  });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: project.cwd } });
  expect(await session.emit("prompt.before", PROMPT)).toMatchObject({ answer: { text: "own" } });
  await using hooks = await testHooks({ dialects: [web], project: project.cwd, transports: { http } });
  expect(await hooks.emit("prompt.before", PROMPT)).toMatchObject({ answer: { text: "own" } });
  expect(calls).toMatchObject([
    { url: "https://hooks.example.com/", tier: "project" },
    { url: "https://hooks.example.com/", tier: "project" },
  ]);
});

const PROGRAM = `
import { createTransports } from ${JSON.stringify(import.meta.resolve("../../src/session/transports.ts"))};
import { systemClock } from ${JSON.stringify(import.meta.resolve("../../../ground/src/time/system-clock.ts"))};
const isLoaded = () => process.moduleLoadList.includes("NativeModule _http_client");
const parts = { given: {}, hooklineHome: process.cwd() + "/none", env: {}, clock: systemClock, protocol: [], report() {} };
const { http, close } = createTransports(parts);
const before = isLoaded();
const call = { url: process.argv[1], headers: {}, body: "{}", tier: "user", timeoutMs: 60_000, label: "a hook" };
const { status } = await http.ask(call);
await close();
console.log(before, status, isLoaded());`;

test("nothing of HTTP is loaded before the first hook is asked", async () => {
  const server = await during(serve(answers({})));
  const args = ["--no-warnings", "--input-type=module", "-e", PROGRAM, "--", server.url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {}, timeout: 60_000 });
  expect(stdout).toBe("false answered true\n");
});
