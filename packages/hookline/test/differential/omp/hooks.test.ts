import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testHooks } from "@hookline/runtime/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAlike } from "./alike.ts";
import { BROKEN, loadBroken, runCommands } from "./broken.ts";
import { driveHooks, modules, type Told } from "./drive.ts";
import { askReal, peer } from "./peer.ts";
import { hookQuestions } from "./questions.ts";

interface Real {
  readonly answers: readonly Told[];
  readonly loaded: unknown;
  readonly ran: readonly unknown[];
}

describe.skipIf("absent" in peer)("HookRunner, HookToolWrapper and the loader do as oh-my-pi's own", () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-omp-"));
  let real: Real;
  let hooks: Awaited<ReturnType<typeof testHooks>>;
  let lib: any;

  beforeAll(async () => {
    real = askReal<Real>("real-hooks.ts", hookQuestions);
    for (const [name, text] of Object.entries(modules())) writeFileSync(join(folder, name), text);
    for (const [name, { text }] of Object.entries(BROKEN)) writeFileSync(join(folder, name), text);
    mkdirSync(join(folder, "uses"));
    const uses = join(folder, "uses/uses.ts");
    const text = `import * as hooks from "@oh-my-pi/pi-coding-agent/hooks";
export default (pi) => { globalThis.ompHooks = hooks; pi.on("session_start", () => {}); };\n`;
    writeFileSync(uses, text);
    hooks = await testHooks({ files: [`omp:${uses}`] });
    lib = (globalThis as any).ompHooks;
  });

  afterAll(async () => {
    await hooks?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("for every sequence of answers to every event", async () => {
    const ours = await driveHooks(lib, folder, hookQuestions);
    expect(expectAlike(hookQuestions, real.answers, ours, (_, told) => told)).toEqual(["returnedInput"]);
  });

  test("modules that do not load are reported in the same words", async () => {
    expect(await loadBroken(lib, folder)).toEqual(real.loaded);
  });

  test("programs that modules run end alike", async () => {
    expect(await runCommands(lib, folder)).toEqual(real.ran);
  });
});
