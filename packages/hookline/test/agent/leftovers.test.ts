import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { queryObjects } from "node:v8";
import { expect, onTestFinished, test, vi } from "vitest";
import { Instance } from "../../../runtime/src/hook/instance.ts";
import { Ask } from "../../../runtime/src/run/ask.ts";
import { collect } from "../../../runtime/test/heap.ts";
import { readArguments } from "../../src/start/args.ts";
import { assemble } from "../../src/start/assemble.ts";
import { startLoopback } from "../support/loopback.ts";

/** Never settles once, runs a program, and leaves a listener at each signal that it is given. */
const EXTENSION = `export default (pi) => {
  pi.on("agent_start", () => new Promise(() => {}));
  pi.on("turn_start", async (_, { signal }) => {
    signal?.addEventListener("abort", () => {}, { once: true });
    await pi.exec("true", []);
  });
};
`;

/** How many there are of what a prompt, a hook or a load makes. */
async function live(): Promise<Record<string, number>> {
  await collect();
  const count = (kind: new (...parts: never) => unknown): number => Number(queryObjects(kind, { format: "count" }));
  return { signals: count(AbortSignal), asks: count(Ask), instances: count(Instance) };
}

test("prompts, reloads and new sessions leave no signal, call or module behind", async () => {
  const top = mkdtempSync(join(tmpdir(), "hookline-leftovers-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const home = join(top, "home");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const server = await startLoopback((_, index) =>
    index % 2 === 0 ? { toolCalls: [{ name: "read", arguments: { path: "notes.md" } }] } : { text: "Fine." },
  );
  onTestFinished(() => server.close());
  const provider = { baseUrl: `${server.url}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "m" }] };
  write(".hookline/models.json", JSON.stringify({ providers: { loop: provider } }));
  write(".hookline/settings.json", JSON.stringify({ handlerTimeoutMs: 20 }));
  write(".pi/agent/extensions/left.ts", EXTENSION);
  write("project/notes.md", "A file to read.\n");
  const env = { HOME: home, HOOKLINE_HOME: join(home, ".hookline"), PATH: process.env["PATH"] };
  const io = {
    env,
    cwd: join(home, "project"),
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    out: () => {},
    err: () => {},
    readStdin: async () => "",
  };
  const options = { mode: "print", ui: undefined, onDiagnostic: () => {} } as const;
  const { agent, close } = await assemble(readArguments(["--model", "loop/m"]), io, options);
  const run = async (prompts: number): Promise<void> => {
    for (let n = 1; n <= prompts; n++) {
      expect((await agent.prompt(`prompt ${n}`)).kind).toBe("answered");
      await agent.waitForIdle();
      if (n % 7 === 0) await agent.prompt("/reload");
      if (n % 10 === 0) await agent.prompt("/new");
    }
  };
  await run(20);
  const before = await live();
  await run(60);
  const isKept = async (): Promise<boolean> => {
    const now = await live();
    return Object.entries(now).every(([kind, count]) => count <= (before[kind] ?? 0) + 30);
  };
  await vi.waitUntil(isKept, { timeout: 10_000, interval: 300 }).catch(async () => {
    expect(await live()).toEqual(before);
  });
  await close();
});
