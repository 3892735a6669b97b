import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { trials } from "../../../../scripts/trials.ts";
import { keepEnds, keepWhole } from "../../src/transport/process/output.ts";
import { type Bench, bench, call, fixture, fixturePath, folder, PATHS, token } from "./kit.ts";

/** Bytes that are not UTF-8, in the form that `printf` takes: lone, overlong, cut and surrogate forms, and too high ones. */
const NOT_UTF8 = [
  ..."\\200 a\\277 \\300\\257 \\301\\277 \\340\\200\\257 \\340\\237\\277 \\360\\200\\200\\257 \\360\\217\\277\\277".split(
    " ",
  ),
  ..."\\355\\240\\200 \\355\\277\\277 \\355\\240\\275\\355\\270\\200 \\364\\220\\200\\200 \\365\\200\\200\\200".split(
    " ",
  ),
  ...'\\370\\210\\200\\200\\200 \\376 \\377\\376{\\000}\\000 {\\342\\202} \\342\\202 \\360\\237\\230 {"a":"\\351"}'.split(
    " ",
  ),
];

/** A text of characters of each width, and those that readers of text like to drop. */
const text = fc
  .array(fc.constantFrom(...'aé€漢😀\u0301\ufeff\n"\\\u2028\0\u{10ffff}'), { minLength: 1, maxLength: 24 })
  .map((characters) => characters.join(""));

test("a text reads the same wherever its bytes are split", () => {
  fc.assert(
    fc.property(text, (whole) => {
      const bytes = Buffer.from(whole);
      for (let at = 0; at <= bytes.length; at++) {
        const [answer, ends] = [keepWhole(1000), keepEnds(4000)];
        for (const part of [bytes.subarray(0, at), bytes.subarray(at)]) {
          answer.push(part);
          ends.push(part);
        }
        expect(answer.text()).toEqual({ text: whole, valid: true });
        expect(ends.text()).toBe(whole);
      }
    }),
    { numRuns: trials(200) },
  );
});

describe.each(PATHS)("input and output (%s)", (path) => {
  let now: Bench;
  beforeEach(() => {
    now = bench({ path });
  });
  afterEach(() => now.transport.close());

  it("puts a character together that came in pieces", async () => {
    const report = await now.transport.run(call(fixture("split-character.sh")));
    expect(report).toMatchObject({ stdout: "€", stdoutValid: true });
  });

  it.each(NOT_UTF8)("says that the output is not UTF-8: %s", async (bytes) => {
    const report = await now.transport.run(call(`printf '${bytes}'`));
    expect(report).toMatchObject({ status: "exited", stdoutValid: false });
    expect(report.stdout).toContain("\ufffd");
  });

  it("keeps a byte order mark in the text, so that no parser overlooks it", async () => {
    const report = await now.transport.run(call("printf '\\357\\273\\277{}'"));
    expect(report.stdout).toBe("\ufeff{}");
  });

  it("ends a process that writes more than it may", async () => {
    const report = await now.transport.run(call(fixture("flood-stdout.sh"), { maxStdoutBytes: 1000 }));
    expect(report).toMatchObject({ status: "over-limit", stdout: "" });
  });

  it.each([
    ["stderr alone", "exec yes >&2"],
    ["both streams, each with a part of it", "head -c 600 /dev/zero; head -c 600 /dev/zero >&2; sleep 100"],
  ])("ends a process that writes more than it may to both streams together: %s", async (_, line) => {
    const report = await now.transport.run(call(line, { maxOutputBytes: 1000 }));
    expect(report).toMatchObject({ status: "over-limit", survivors: [] });
  });

  it("keeps nothing for a caller that sees all of it, and still ends a process that writes more than it may", async () => {
    const seen: string[] = [];
    const onData = (chunk: Uint8Array) => seen.push(Buffer.from(chunk).toString());
    const report = await now.transport.run(call("echo out; echo err >&2", { keepsStdout: false, onData }));
    expect(report).toMatchObject({ status: "exited", stdout: "", stdoutValid: true, stderr: "err\n" });
    expect(seen.sort().join("")).toBe("err\nout\n");
    const flood = call(fixture("flood-stdout.sh"), { keepsStdout: false, maxStdoutBytes: 1000 });
    expect(await now.transport.run(flood)).toMatchObject({ status: "over-limit", survivors: [] });
  });

  it("takes as much as both streams together may have", async () => {
    const line = "head -c 500 /dev/zero; head -c 500 /dev/zero >&2";
    const report = await now.transport.run(call(line, { maxOutputBytes: 1000 }));
    expect(report).toMatchObject({ status: "exited", exitCode: 0 });
  });

  it("takes an answer that is exactly as long as it may be", async () => {
    const report = await now.transport.run(call("head -c 1000 /dev/zero", { maxStdoutBytes: 1000 }));
    expect(report).toMatchObject({ status: "exited", exitCode: 0 });
    expect(report.stdout).toHaveLength(1000);
  });

  it("reads an answer of 8 MiB whole", async () => {
    const report = await now.transport.run(call("head -c 8388608 /dev/zero | tr '\\0' x"));
    expect(report.status).toBe("exited");
    expect(report.stdout).toHaveLength(8_388_608);
  });

  it("reads to the end what a process wrote just before its exit", async () => {
    const lengths = await Promise.all(
      Array.from({ length: 40 }, () =>
        now.transport.run(call("head -c 65536 /dev/zero & head -c 65536 /dev/zero; wait")),
      ),
    );
    expect(lengths.map(({ stdout }) => stdout.length)).toEqual(Array.from({ length: 40 }, () => 131_072));
  });

  it.each([
    ["one that never ends, at the usual limit", 1, undefined, 64],
    ["eight of 1 MiB", 8, 1 << 20, 64],
    ["eight at the usual limit, which may all be held", 8, undefined, 96],
  ])("holds no more of floods than the limits allow: %s", async (_, count, maxStdoutBytes, mostMiB) => {
    const options = JSON.stringify({ path, command: { file: "yes", args: [] }, count, limits: { maxStdoutBytes } });
    const { stdout } = await promisify(execFile)(process.execPath, [fixturePath("flooded.ts"), options]);
    const { statuses, grownMiB } = JSON.parse(stdout);
    expect(new Set(statuses)).toEqual(new Set(["over-limit"]));
    expect(grownMiB).toBeLessThan(mostMiB);
  });

  it("keeps the head and the tail of a flood of errors", async () => {
    const report = await now.transport.run(call(fixture("flood-stderr.sh")));
    expect(report).toMatchObject({ status: "exited", stdout: "done\n" });
    expect(report.stderr).toMatch(/^first line\nx+\n\[\d+ bytes are left out here\]\nx+\nlast line\n$/);
    expect(report.stderr.length).toBeLessThan(66_000);
  });

  it("shows both streams as they come", async () => {
    const home = folder();
    const seen: string[] = [];
    // Each line is written once the one before it has been heard.
    const onData = (chunk: Uint8Array, stream: string): void => {
      seen.push(`${stream}:${Buffer.from(chunk)}`);
      writeFileSync(join(home.path, `heard-${seen.length}`), "");
    };
    const heard = (count: number): string => `until [ -e ${home.path}/heard-${count} ]; do sleep 0.01; done`;
    await now.transport.run(call(`echo a; ${heard(1)}; echo b >&2; ${heard(2)}; echo c`, { onData }));
    expect(seen).toEqual(["stdout:a\n", "stderr:b\n", "stdout:c\n"]);
    home.remove();
  });

  it("gives every listener chunks of its own, which it may keep", async () => {
    const kept: Uint8Array[] = [];
    const onData = (chunk: Uint8Array): void => void kept.push(chunk);
    const commands = ["a", "b"].map((letter) => `for i in 1 2 3; do echo ${letter}$i; sleep 0.05; done`);
    await Promise.all(commands.map((command) => now.transport.run(call(command, { onData }))));
    // On a busy machine one chunk may hold several lines.
    const lines = kept.flatMap((chunk) => Buffer.from(chunk).toString().trim().split("\n"));
    expect(lines.sort()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"]);
  });

  it("survives a listener that throws, and reports it once", async () => {
    const onData = (): never => {
      throw new Error("the listener is broken");
    };
    const report = await now.transport.run(call("echo a; sleep 0.1; echo b", { onData }));
    expect(report.stdout).toBe("a\nb\n");
    expect(now.diagnostics).toMatchObject([{ code: "LISTENER_THREW" }]);
  });

  const sizes = [0, 1, 65_535, 65_536, 65_537, 5 * 1024 * 1024];

  it.each(sizes)("hands over %i bytes of input", async (size) => {
    const report = await now.transport.run(call("wc -c", { stdin: "x".repeat(size) }));
    expect(report).toMatchObject({ status: "exited", stdout: `${size}\n` });
  });

  it.each(sizes)("accepts %i bytes of input that nobody reads", async (size) => {
    const report = await now.transport.run(call("echo answered", { stdin: Buffer.alloc(size, "x") }));
    expect(report).toMatchObject({ status: "exited", exitCode: 0, stdout: "answered\n" });
  });

  it.each(sizes)("takes no offence at an input of %i bytes that is closed early", async (size) => {
    const report = await now.transport.run(call(fixture("close-stdin.sh"), { stdin: "x".repeat(size) }));
    expect(report).toMatchObject({ status: "exited", exitCode: 0, stdout: "answered\n" });
  });

  it("does not lock up with a process that writes before it reads", async () => {
    const report = await now.transport.run(call(fixture("write-first.sh"), { stdin: "x".repeat(5 * 1024 * 1024) }));
    expect(report.stdout).toMatch(/^x{200000}5242880\n$/);
  });

  it("counts the writing of the input against the time", async () => {
    const report = await now.transport.run(
      call(`sleep 86400 ${token()}`, { stdin: "x".repeat(1024 * 1024), timeoutMs: 200 }),
    );
    expect(report.status).toBe("timed-out");
  });

  it("gives an empty input when there is none", async () => {
    expect((await now.transport.run(call("wc -c"))).stdout).toBe("0\n");
  });

  it("lets a program open its standard streams by name", async () => {
    const report = await now.transport.run(call(fixture("by-name.sh"), { stdin: "said\n" }));
    expect(report).toMatchObject({ exitCode: 0, stdout: "said\npipes\n", stderr: "heard\n" });
  });
});
