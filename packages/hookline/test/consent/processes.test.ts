import { expect, test } from "vitest";
import { processTable } from "../../../ground/src/process/table.ts";

test.skipIf(process.platform === "win32").each([true, false])(
  "the processes of this machine are seen, with their parents (from /proc: %s)",
  (isLinux) => {
    if (isLinux && process.platform !== "linux") return;
    const table = processTable(isLinux);
    const own = table.get(process.pid);
    expect(own).toMatchObject({ pid: process.pid, parent: process.ppid, uid: process.getuid?.() });
    const above = table.get(process.ppid);
    expect(above?.started).toBeLessThanOrEqual(own?.started ?? 0);
    expect([...table.all()].map(({ pid }) => pid)).toContain(process.ppid);
    expect(table.get(2 ** 22 + 1)).toBeUndefined();
  },
);
