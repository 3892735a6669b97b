import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Authority } from "../../src/identity/authority.ts";
import { readCreds } from "../../src/sign/creds.ts";

const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
let authority: Authority;
let agent: string;
let worker: string;

beforeAll(async () => {
  authority = await Authority.create(join(place, "fleet"), "acme");
  agent = await authority.enroll("laptop-7", "agent");
  worker = await authority.enroll("worker-1", "worker");
});
afterAll(() => rmSync(place, { recursive: true }));

/** A section of a creds file, with its lines. */
const section = (text: string, title: string): string =>
  new RegExp(`-+BEGIN ${title}-+\\n.*\\n-+END ${title}-+\\n`).exec(text)?.[0] ?? "";

describe("a creds file", () => {
  test("says who the machine is", () => {
    const creds = readCreds(agent);
    expect(creds).toMatchObject({ v: 1, fleet: "acme", machine: "laptop-7", role: "agent" });
    expect(readCreds(agent.replaceAll("\n", "\r\n"))).toMatchObject({ machine: "laptop-7" });
    expect(readCreds(worker).signers).toEqual(creds.signers);
  });

  test.each([
    ["is empty", () => ""],
    ["is only NATS's", () => agent.slice(0, agent.indexOf("-----BEGIN HOOKLINE"))],
    [
      "has somebody else's key",
      () => agent.replace(section(agent, "USER NKEY SEED"), section(worker, "USER NKEY SEED")),
    ],
    [
      "has somebody else's token",
      () => agent.replace(section(agent, "NATS USER JWT"), section(worker, "NATS USER JWT")),
    ],
    [
      "has somebody else's part of the fleet",
      () => agent.replace(section(agent, "HOOKLINE FLEET"), section(worker, "HOOKLINE FLEET")),
    ],
    ["says another role", () => agent.replace('"role":"agent"', '"role":"worker"')],
    ["says another name", () => agent.replace('"machine":"laptop-7"', '"machine":"laptop-8"')],
    ["has a field more", () => agent.replace('"v":1', '"v":1,"more":1')],
  ])("that %s is refused, and nothing of it is quoted", (_, text) => {
    const seed = section(agent, "USER NKEY SEED").split("\n")[1] ?? "";
    expect(() => readCreds(text())).toThrow(/^(it is not a creds file|its section HOOKLINE|its token, key and fleet)/);
    expect(() => readCreds(text())).not.toThrow(seed);
  });
});

describe("the folder of a fleet", () => {
  test("is read back, and nobody else may read its keys", async () => {
    const again = Authority.open(join(place, "fleet"));
    expect(Object.keys(again.machines)).toEqual(["laptop-7", "worker-1"]);
    await expect(again.enroll("laptop-7", "agent")).rejects.toThrow("already enrolled");
    for (const name of ["fleet.json", "trust.conf", "keys/operator.nk", "keys/account.nk", "keys/agent.nk"])
      expect(statSync(join(place, "fleet", name)).mode & 0o777).toBe(0o600);
  });

  test("is not made over anything that is there, nor with a name that cannot be used", async () => {
    await expect(Authority.create(join(place, "fleet"), "acme")).rejects.toThrow("is not empty");
    await expect(Authority.create(join(place, "new"), "A.b")).rejects.toThrow("a-z, 0-9 and -");
    await expect(authority.revoke("nobody")).rejects.toThrow("nobody is not enrolled");
  });
});
