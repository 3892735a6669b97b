import { execFile } from "node:child_process";
import { EventEmitter } from "node:events";
import { emitKeypressEvents } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { guarded } from "../../src/transport/module/guard.ts";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { exportsOf, failureOf, Project } from "./project.ts";

const transport = createModuleTransport();

const idle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("exit", () => {
  beforeEach(idle);

  test("a host survives its modules and ends when it wants to", async () => {
    const program = fileURLToPath(new URL("fixtures/survivor.ts", import.meta.url));
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [program], (error, out, err) =>
        resolve({ code: error?.code, stdout: out, stderr: err }),
      );
    });
    const refused = (name: string, method: string, asked = "3") =>
      `${name}: /${name}.ts called process.${method}(${asked}), which would end its host. Throw an error or return instead.`;
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual([
      refused("body", "exit"),
      refused("really", "reallyExit"),
      refused("named", "exit"),
      refused("waiting", "exit"),
      "caught: went on",
      refused("sync", "exit"),
      refused("async", "exit"),
      refused("kept", "exit"),
      refused("late", "exit"),
      refused("timer", "exit"),
    ]);
    expect(code).toBe(7);
  });

  test("process.exit at the top level is a failure that tells its line", async () => {
    using project = new Project({ "a.ts": "const code: number = 3;\nprocess.exit(code);" });
    expect(failureOf(await transport.load(project.call("a.ts")))).toMatchObject({
      phase: "run",
      file: project.path("a.ts"),
      line: 2,
    });
  });

  test("the guard is gone when nothing guarded runs, also after overlapping calls", async () => {
    const { exit } = process;
    let endFirst: (() => void) | undefined;
    const first = guarded(() => new Promise<void>((resolve) => (endFirst = resolve)), "first");
    const second = guarded(async () => "second", "second");
    expect(process.exit).not.toBe(exit);
    expect(await second).toBe("second");
    expect(process.exit).not.toBe(exit);
    endFirst?.();
    await first;
    await idle();
    expect(process.exit).toBe(exit);
  });

  test("exit that was handed to a timer while a module was loaded is refused afterwards too", async () => {
    const { exit } = process;
    const taken = guarded(() => process.exit, "taker");
    await idle();
    expect(process.exit).toBe(exit);
    const refused = new Promise<unknown>((resolve) => {
      const said = process.listeners("uncaughtException");
      process.removeAllListeners("uncaughtException");
      process.once("uncaughtException", (error) => {
        for (const listener of said) process.on("uncaughtException", listener);
        resolve(error);
      });
    });
    setTimeout(taken, 0, 0);
    expect(await refused).toMatchObject({ message: expect.stringContaining("A timer or promise") });
  });

  test("results, errors and rejections pass through", async () => {
    const { exit } = process;
    const fail = new Error("own");
    expect(guarded(() => 5, "label")).toBe(5);
    expect(() =>
      guarded(() => {
        throw fail;
      }, "label"),
    ).toThrow(fail);
    await expect(guarded(() => Promise.reject(fail), "label")).rejects.toBe(fail);
    await idle();
    expect(process.exit).toBe(exit);
  });

  test("nested guards name the inner function", () => {
    const inner = () => guarded(() => process.exit(1), "inner");
    expect(() => guarded(inner, "outer")).toThrow("inner called process.exit(1)");
  });

  test("a `process.exit` that the host replaced meanwhile stays", async () => {
    const { exit } = process;
    const own = (() => {}) as unknown as typeof process.exit;
    await guarded(async () => {
      process.exit = own;
    }, "label");
    await idle();
    expect(process.exit).toBe(own);
    process.exit = exit;
  });
});

class FakeTty extends PassThrough {
  isTTY = true;
  isRaw = false;

  setRawMode(raw: boolean): this {
    this.isRaw = raw;
    return this;
  }
}

describe("stdin", () => {
  const real = Object.getOwnPropertyDescriptor(process, "stdin") ?? {};
  let stdin: FakeTty;
  let opened: number;

  beforeEach(() => {
    stdin = new FakeTty();
    opened = 0;
    const get = () => {
      opened++;
      return stdin;
    };
    Object.defineProperty(process, "stdin", { configurable: true, enumerable: true, get });
  });

  afterEach(() => {
    Object.defineProperty(process, "stdin", real);
  });

  async function load(source: string): Promise<Record<string, any>> {
    using project = new Project({ "a.ts": source });
    return exportsOf(await transport.load(project.call("a.ts")));
  }

  test("is not opened for a module that does not ask for it", async () => {
    const before = Object.getOwnPropertyDescriptor(process, "stdin");
    await load("export {}");
    expect(opened).toBe(0);
    expect(Object.getOwnPropertyDescriptor(process, "stdin")).toEqual(before);
  });

  test("listeners, raw mode and flow of a module's load are undone", async () => {
    const own = () => {};
    stdin.on("end", own);
    await load(`
      import { stdin } from "node:process";
      stdin.setRawMode(true);
      stdin.on("data", () => {});
      stdin.once("end", () => {});
      stdin.prependListener("error", () => {});
      process.stdin.resume();`);
    expect([stdin.listeners("data"), stdin.listeners("end"), stdin.listeners("error")]).toEqual([[], [own], []]);
    expect([stdin.isRaw, stdin.isPaused()]).toEqual([false, true]);
    expect(Object.hasOwn(stdin, "on") || Object.hasOwn(stdin, "setRawMode")).toBe(false);
  });

  test("a flow that the host had started goes on", async () => {
    const heard: string[] = [];
    stdin.on("data", (chunk) => heard.push(String(chunk)));
    await load("process.stdin.pause(); process.stdin.removeAllListeners('nothing')");
    expect(stdin.readableFlowing).toBe(true);
    stdin.write("key");
    await idle();
    expect(heard).toEqual(["key"]);
  });

  test("readline at load leaves a stream on which keys still arrive", async () => {
    await load(
      'import { createInterface } from "node:readline"; createInterface({ input: process.stdin, terminal: true }).on("line", () => {});',
    );
    expect([stdin.isRaw, stdin.listenerCount("keypress"), stdin.listenerCount("data")]).toEqual([false, 0, 0]);
    const keys: unknown[] = [];
    emitKeypressEvents(stdin);
    stdin.on("keypress", (text) => keys.push(text));
    stdin.resume();
    stdin.write("k");
    await idle();
    expect(keys).toEqual(["k"]);
  });

  test("what the host does to stdin while a module loads stays", async () => {
    const mine = () => {};
    const gate = new EventEmitter();
    (globalThis as any).hooklineTestGate = gate;
    const loading = load(`
      process.stdin.on("data", () => {});
      await new Promise((resolve) => (globalThis as any).hooklineTestGate.once("open", resolve));
      process.stdin.on("end", () => {});`);
    await new Promise<void>((resolve) => gate.once("newListener", () => resolve()));
    process.stdin.on("data", mine);
    stdin.setRawMode(true);
    await idle();
    gate.emit("open");
    await loading;
    delete (globalThis as any).hooklineTestGate;
    expect([stdin.listeners("data"), stdin.listenerCount("end"), stdin.isRaw]).toEqual([[mine], 0, true]);
  });

  test("a handler may listen", async () => {
    const { default: handler } = await load('export default () => { process.stdin.on("data", () => {}); };');
    guarded(handler, "a handler");
    expect(stdin.listenerCount("data")).toBe(1);
  });

  test("a factory that is run with the scope `load` does not keep listening", async () => {
    using project = new Project({
      "a.ts":
        'export default async () => { await null; process.stdin.on("data", () => {}); return stdin };\nconst stdin = 1;',
    });
    const { default: factory } = exportsOf(await transport.load(project.call("a.ts")));
    expect(await guarded(factory, project.path("a.ts"), "load")).toBe(1);
    expect([opened, stdin.listenerCount("data")]).toEqual([1, 0]);
  });
});
