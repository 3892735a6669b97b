import { beforeEach, describe, expect, it, vi } from "vitest";
import type { OutputStream } from "../../src/transport/process/plumbing.ts";

/** A stream that ends without ever giving what arrives, as in a program that is not Node. */
const deaf = (): OutputStream => ({ read() {}, hold() {}, ended: Promise.resolve(), destroy() {} });

const call = {
  command: { shell: "cat; echo err >&2; exit 3" },
  cwd: "/",
  env: {},
  stdin: "input",
  timeoutMs: 20_000,
  label: "a hook",
  tier: "user",
} as const;

/** Runs one program in a process that lacks something; returns the report and what was told. */
async function runWith(lack: { readonly pipes?: true; readonly own?: true; readonly proc?: true }) {
  vi.doMock("../../src/transport/process/plumbing.ts", async (original) => ({
    ...(await original<object>()),
    ...(lack.pipes && { pipeSource: deaf }),
    ...(lack.own && { streamSource: deaf }),
  }));
  vi.doMock("../../src/transport/process/proc.ts", async (original) => ({
    ...(await original<object>()),
    ...(lack.proc && { HAS_PROC: false, readProcess: () => undefined, listProcesses: async () => [] }),
  }));
  const [{ createProcessTransport }, { systemClock }] = await Promise.all([
    import("../../src/transport/process/transport.ts"),
    import("../../../ground/src/time/system-clock.ts"),
  ]);
  const told: string[] = [];
  const transport = createProcessTransport({
    clock: systemClock,
    path: "spawn",
    onDiagnostic: ({ message }) => told.push(message),
  });
  const reports = [await transport.run(call), await transport.run(call)];
  await transport.close();
  return { reports, told };
}

const WORKS = { status: "exited", exitCode: 3, stdout: "input", stderr: "err\n" };

describe("a process transport", () => {
  beforeEach(() => vi.resetModules());

  it("uses Node's own pipes where it cannot read others, and says once what that costs", async () => {
    const { reports, told } = await runWith({ pipes: true });
    expect(reports).toMatchObject([WORKS, WORKS]);
    expect(told).toEqual(["Programs are connected by sockets: this program cannot read pipes, as Node does"]);
  });

  it("starts nothing where it can read nothing, so that a guard refuses", async () => {
    const { reports } = await runWith({ pipes: true, own: true });
    const message = expect.stringContaining(
      "hookline runs in a program that cannot read what its child processes print",
    );
    for (const report of reports)
      expect(report).toMatchObject({ status: "not-started", startError: { code: "NO_ECHO", message } });
  });

  it("works without /proc", async () => {
    const { reports, told } = await runWith({ proc: true });
    expect(reports).toMatchObject([WORKS, WORKS]);
    expect(told).toEqual([]);
  });

  it("works without /proc and without a readable child only by refusing", async () => {
    expect((await runWith({ proc: true, own: true })).reports).toMatchObject([
      { status: "not-started" },
      { status: "not-started" },
    ]);
  });
});
