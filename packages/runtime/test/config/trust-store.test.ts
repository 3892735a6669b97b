import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Approval, TrustStore } from "../../src/consent/trust-store.ts";
import { runProgram } from "./processes.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hookline-trust-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function approval(path: string, more: Partial<Approval> = {}): Approval {
  return {
    path,
    lane: "pi",
    dialect: "pi",
    definition: "{}",
    files: [{ path, sha256: "a".repeat(64) }],
    hash: "b".repeat(64),
    approvedAt: "2026-01-01T00:00:00.000Z",
    ...more,
  };
}

describe("what is kept", () => {
  test("an approval is there for the next process, and in a private file", () => {
    new TrustStore(home).approve([approval("/p/a.ts")]);
    const store = new TrustStore(home);
    expect(store.list()).toEqual([approval("/p/a.ts")]);
    expect(statSync(store.path).mode & 0o777).toBe(0o600);
  });

  test("a new approval replaces the one for the same definition, not its neighbour's", () => {
    const store = new TrustStore(home);
    store.approve([approval("/p/a.ts"), approval("/p/b.ts"), approval("/p/a.ts", { definition: '{"x":1}' })]);
    store.approve([approval("/p/a.ts", { hash: "c".repeat(64) })]);
    expect(store.list().map(({ path, hash, definition }) => [path, hash[0], definition])).toEqual([
      ["/p/b.ts", "b", "{}"],
      ["/p/a.ts", "b", '{"x":1}'],
      ["/p/a.ts", "c", "{}"],
    ]);
  });

  test("revoking gives what is gone and leaves the rest", () => {
    const store = new TrustStore(home);
    store.approve([approval("/p/a.ts"), approval("/p/b.ts")]);
    expect(store.revoke(({ path }) => path === "/p/a.ts")).toEqual([approval("/p/a.ts")]);
    expect(store.list()).toEqual([approval("/p/b.ts")]);
  });

  test("a damaged entry costs itself", () => {
    const store = new TrustStore(home);
    const { files: _, ...halved } = approval("/p/b.ts");
    const entries = [
      approval("/p/a.ts"),
      halved,
      null,
      approval("/p/c.ts", { files: [{ path: "/p/c.ts", sha256: "" }] }),
    ];
    writeFileSync(store.path, JSON.stringify({ version: 1, entries }), { mode: 0o600 });
    expect(store.list()).toEqual([approval("/p/a.ts")]);
  });
});

describe("who may write it", () => {
  test.each([0o000, 0o022, 0o077])("it is private under the umask %o", (mask) => {
    const before = process.umask(mask);
    try {
      new TrustStore(join(home, "new")).approve([approval("/p/a.ts")]);
    } finally {
      process.umask(before);
    }
    expect(statSync(join(home, "new")).mode & 0o777 & ~0o700).toBe(0);
    expect(statSync(join(home, "new", "trust.json")).mode & 0o777).toBe(0o600);
  });

  test("a file that others may read is made private", () => {
    const store = new TrustStore(home);
    store.approve([approval("/p/a.ts")]);
    chmodSync(store.path, 0o644);
    expect(store.list()).toHaveLength(1);
    expect(statSync(store.path).mode & 0o777).toBe(0o600);
  });

  test("a file that others may have written approves nothing and is not written to", () => {
    const store = new TrustStore(home);
    store.approve([approval("/p/a.ts")]);
    chmodSync(store.path, 0o666);
    expect(store.list()).toEqual([]);
    expect(store.problem?.problem).toMatch(/other users can write/);
    expect(() => store.approve([approval("/p/b.ts")])).toThrow(/other users can write/);
  });

  test("a link in its place approves nothing, and what it leads to is not touched", () => {
    const store = new TrustStore(home);
    const elsewhere = join(home, "elsewhere.json");
    writeFileSync(elsewhere, JSON.stringify({ version: 1, entries: [approval("/p/a.ts")] }), { mode: 0o600 });
    symlinkSync(elsewhere, store.path);
    expect(store.list()).toEqual([]);
    expect(() => store.approve([approval("/p/b.ts")])).toThrow(/symbolic link/);
    expect(new TrustStore(home).problem?.remedy).toMatch(/Replace the link/);
    expect(statSync(elsewhere).size).toBeGreaterThan(100);
  });

  test("a file that is not a store approves nothing and is not overwritten", () => {
    const store = new TrustStore(home);
    writeFileSync(store.path, "[]", { mode: 0o600 });
    expect(store.list()).toEqual([]);
    expect(() => store.approve([approval("/p/b.ts")])).toThrow(/not a trust store/);
  });
});

describe("several processes", () => {
  const program = (from: number): string => `
    const { TrustStore } = await import("consent/trust-store.ts");
    const store = new TrustStore(${JSON.stringify(home)});
    for (let n = ${from}; n < ${from + 10}; n++) {
      const path = "/p/" + n;
      store.approve([{ path, lane: "pi", dialect: "pi", definition: "{}", files: [], hash: "h", approvedAt: "t" }]);
    }
  `;

  test("no approval is lost when six write at once", async () => {
    const codes = await Promise.all([0, 10, 20, 30, 40, 50].map((from) => runProgram(program(from))));
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    expect(
      new TrustStore(home)
        .list()
        .map(({ path }) => path)
        .sort(),
    ).toHaveLength(60);
    expect(readdirSync(home)).toEqual(["trust.json"]);
  });

  test("the claim of a process that was killed holds nobody up", () => {
    const store = new TrustStore(home);
    mkdirSync(`${store.path}.lock`);
    // No process has this start time, whoever has the pid by now.
    writeFileSync(join(`${store.path}.lock`, `${process.pid}.1.abcdef`), "");
    writeFileSync(join(`${store.path}.lock`, "999999999.1.abcdef"), "");
    store.approve([approval("/p/a.ts")]);
    expect(store.list()).toHaveLength(1);
    expect(existsSync(`${store.path}.lock`)).toBe(false);
  });
});
