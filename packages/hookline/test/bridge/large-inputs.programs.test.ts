import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { CLIENTS, hasClient, riggedWith, verdictOf } from "./support/clients.ts";
import { DAEMON, Rigged } from "./support/rigged.ts";

const HUNDRED_MB = 100 * 1024 * 1024;
/** Most memory that a client or a daemon may have at any time: what Node needs, and the 8 MiB that are taken, a few times. */
const MOST_KB = 250_000;

/** The most memory that a process has had so far, in kB. */
function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

describe.skipIf(process.platform !== "linux")("100 MB of arguments", () => {
  test.each(CLIENTS)("are refused by the client %s, with a reason", async (client) => {
    if (!hasClient(client)) return;
    const at = riggedWith(client, DAEMON);
    onTestFinished(() => at.close());
    const input = { args: { command: "x".repeat(HUNDRED_MB) } };
    if (client === "module") {
      // The whole of it is in the host's own memory already.
      const said = await verdictOf(client, at, "Before", {
        input: { args: { command: "x".repeat(9 << 20) } },
        deadlineMs: 20_000,
      });
      expect(said).toEqual({ refusedBecause: "the host sent more than 8 MiB" });
      return;
    }
    const { child, told } = at.start("Before", input, { args: ["--deadline", "20000"] });
    let peak = 0;
    const look = setInterval(() => {
      try {
        peak = Math.max(peak, peakOf(child.pid ?? 0) || 0);
      } catch {
        clearInterval(look);
      }
    }, 5);
    const { exit, stdout } = await told;
    clearInterval(look);
    expect({ exit, said: JSON.parse(stdout) }).toEqual({
      exit: 0,
      said: { deny: "hookline is not reachable (the host sent more than 8 MiB)" },
    });
    expect(peak).toBeLessThan(client === "native" ? 40_000 : MOST_KB);
    // An event that guards nothing goes on.
    expect(await at.tell("After", input)).toMatchObject({ exit: 0, stdout: "" });
  });

  test("are not taken by the daemon, which goes on", async () => {
    const at = new Rigged("", DAEMON);
    onTestFinished(() => at.close());
    await at.begin();
    expect(await at.ask("Before", { args: { command: "ls" } })).toBeDefined();
    const before = peakOf(at.pid);
    const socket = connect(at.place.socket).on("error", () => {});
    const header = Buffer.from(["hookline/1", "rig", "Before", "", at.project, "1000", ""].join("\0"));
    const length = (size: number): Buffer => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(size);
      return bytes;
    };
    let got = "";
    socket.on("data", (piece) => (got += piece));
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(Buffer.concat([length(header.length), header, length(HUNDRED_MB)]));
    socket.write(Buffer.alloc(HUNDRED_MB, "x"));
    await closed;
    expect(got).toBe("");
    await expect.poll(() => at.log()).toContain(`frame 2 has ${HUNDRED_MB} bytes; 8388608 are allowed`);
    expect(await at.ask("Before", { args: { command: "ls" } })).toBeDefined();
    expect(peakOf(at.pid) - before).toBeLessThan(60_000);
  });
});
