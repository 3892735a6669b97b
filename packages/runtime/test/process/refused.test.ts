import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { ProcessTransport } from "../../src/port/process.ts";
import { type Libc, loadLibc } from "../../src/transport/process/libc.ts";
import type { StartPath } from "../../src/transport/process/starter.ts";
import { clock } from "./clock.ts";
import { call, pipeMakers, runIdOf } from "./kit.ts";

const real = loadLibc();

describe("a host that the system's library is refused", () => {
  let transport: ProcessTransport;
  /** The folder of one test, since the shell of a closed transport may still be ending. */
  let here: string;
  let tests = 0;
  beforeEach(() => {
    here = runIdOf("refused")(`${++tests}`);
  });
  afterEach(async () => {
    await transport.close();
    vi.doUnmock("../../src/transport/process/libc.ts");
  });

  /** A transport that has never asked for the library before. */
  async function begin(path: StartPath, loading: () => Libc): Promise<Diagnostic[]> {
    vi.resetModules();
    vi.doMock("../../src/transport/process/libc.ts", () => ({ loadLibc: loading }));
    const diagnostics: Diagnostic[] = [];
    const { createProcessTransport } = await import("../../src/transport/process/transport.ts");
    const onDiagnostic = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
    transport = createProcessTransport({ path, clock, env: { PATH: process.env["PATH"] }, runId: here, onDiagnostic });
    return diagnostics;
  }

  const parent = async (): Promise<number> => Number((await transport.run(call("echo $PPID"))).stdout);
  const missing = (): Libc => {
    throw new Error("Cannot find package 'koffi'");
  };

  it("starts processes by Node, and says once why, where the library was asked for", async () => {
    const diagnostics = await begin("native", missing);
    for (let time = 0; time < 2; time++) expect(await parent()).toBe(process.pid);
    expect(pipeMakers(here)).toHaveLength(1);
    expect(diagnostics).toMatchObject([{ code: "START_FAILED", message: /Cannot find package 'koffi'/ }]);
  });

  it("starts them by Node where a filter of system calls forbids the library's way", async () => {
    const diagnostics = await begin("native", () => ({ ...real, spawn: () => -1 }));
    const listeners = process.listenerCount("SIGCHLD");
    expect(await transport.run(call("cat; exit 3", { stdin: "x" }))).toMatchObject({ exitCode: 3, stdout: "x" });
    expect((await transport.run(call({ file: "no-such-program", args: [] }))).startError?.code).toBe("ENOENT");
    expect(process.listenerCount("SIGCHLD")).toBe(listeners);
    expect(diagnostics).toEqual([]);
  });

  it("has `auto` start every process by Node, and says nothing", async () => {
    const diagnostics = await begin("auto", missing);
    for (let start = 0; start < 20; start++) expect(await parent()).toBe(process.pid);
    expect(pipeMakers(here)).toHaveLength(1);
    expect(diagnostics).toEqual([]);
  });
});
