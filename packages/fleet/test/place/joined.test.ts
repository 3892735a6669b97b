import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newRoot } from "../../src/command/root.ts";
import { Authority } from "../../src/identity/authority.ts";
import { access, type Joined, membership, pinIn, writeMembership } from "../../src/place/joined.ts";

const place = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
const joined: Joined = {
  v: 1,
  url: "nats://127.0.0.1:4222",
  fleet: "acme",
  machine: "laptop-7",
  channel: "stable",
  root: "0123456789abcdef".repeat(4),
};
let creds = "";
let home = "";

beforeAll(async () => {
  creds = await (await Authority.create(join(place, "fleet"), "acme")).enroll("laptop-7", "agent");
  writeFileSync(join(place, "laptop-7.creds"), creds);
});
beforeEach(() => {
  home = mkdtempSync(join(place, "home-"));
});
afterAll(() => rmSync(place, { recursive: true }));

describe("the fleet of a machine", () => {
  test("is none without its file and its variables", () => {
    expect(membership(home, {})).toBeUndefined();
    expect(membership(home, { HOOKLINE_FLEET_URL: "" })).toBeUndefined();
  });

  test("is what was written, and nobody else may read it", () => {
    writeMembership(home, joined, creds);
    expect(membership(home, {})).toMatchObject({
      ...joined,
      creds: { role: "agent" },
      from: join(home, "fleet/fleet.json"),
    });
    for (const name of ["fleet.json", "creds"]) expect(statSync(join(home, "fleet", name)).mode & 0o777).toBe(0o600);
  });

  test("pins a root by its file, or by the SHA-256 of it", async () => {
    const root = newRoot(await Authority.create(join(place, "pinned"), "acme"));
    expect(pinIn("root.json", root.place)).toBe(root.pin);
    expect(pinIn(root.pin.toUpperCase())).toBe(root.pin);
    expect(() => pinIn("policy.pem", root.place)).toThrow(/policy\.pem is not the root of a fleet/);
    expect(() => pinIn("none.json", root.place)).toThrow(/neither a file nor a SHA-256: .*none\.json/);
    const env = { HOOKLINE_FLEET_URL: joined.url, HOOKLINE_FLEET_CREDS: creds };
    const byFile = { ...env, HOOKLINE_FLEET_ROOT: join(root.place, "root.json") };
    expect(membership(home, byFile)?.root).toBe(root.pin);
  });

  test.each<[string, () => void, RegExp]>([
    ["the list is no JSON", () => writeFileSync(join(home, "fleet/fleet.json"), "{"), /fleet\.json/],
    [
      "the list has a field more",
      () => writeFileSync(join(home, "fleet/fleet.json"), JSON.stringify({ ...joined, also: 1 })),
      /also/,
    ],
    [
      "the list names another machine",
      () => writeFileSync(join(home, "fleet/fleet.json"), JSON.stringify({ ...joined, machine: "laptop-8" })),
      /not to laptop-8/,
    ],
    ["others may write the list", () => chmodSync(join(home, "fleet/fleet.json"), 0o666), /other users can write/],
    ["the creds are gone", () => rmSync(join(home, "fleet/creds")), /creds is missing/],
    [
      "the creds are a link",
      () => {
        rmSync(join(home, "fleet/creds"));
        symlinkSync(join(place, "laptop-7.creds"), join(home, "fleet/creds"));
      },
      /symbolic link/,
    ],
    ["the creds are cut", () => writeFileSync(join(home, "fleet/creds"), creds.slice(0, 300)), /not a creds file/],
  ])("cannot be read where %s, and is then not none", (_, harm, says) => {
    writeMembership(home, joined, creds);
    harm();
    expect(() => membership(home, {})).toThrow(says);
  });

  test.each([
    ["a path", () => join(place, "laptop-7.creds")],
    ["a text", () => creds],
  ])("is that of the environment, with the creds as %s, whatever the home says", (_, given) => {
    mkdirSync(join(home, "fleet"));
    writeFileSync(join(home, "fleet/fleet.json"), "{");
    const env = {
      HOOKLINE_FLEET_URL: "tls://example.com",
      HOOKLINE_FLEET_CREDS: given(),
      HOOKLINE_FLEET_ROOT: joined.root,
    };
    expect(membership(home, env)).toMatchObject({
      fleet: "acme",
      machine: "laptop-7",
      url: "tls://example.com",
      channel: "stable",
    });
  });

  test("who follows no policy needs no root in the environment", () => {
    const env = { HOOKLINE_FLEET_URL: "tls://example.com", HOOKLINE_FLEET_CREDS: creds };
    expect(access(home, env)).toMatchObject({ fleet: "acme", machine: "laptop-7", url: "tls://example.com" });
    expect(() => access(home, { HOOKLINE_FLEET_ROOT: joined.root })).toThrow("HOOKLINE_FLEET_URL is not; set both");
    expect(access(home, {})).toBeUndefined();
    writeMembership(home, joined, creds);
    expect(access(home, {})).toMatchObject({ machine: "laptop-7", url: joined.url });
  });

  test("is not guessed where a variable is missing or wrong", () => {
    const env = { HOOKLINE_FLEET_URL: "tls://example.com", HOOKLINE_FLEET_CREDS: creds };
    expect(() => membership(home, env)).toThrow("HOOKLINE_FLEET_ROOT is not; set all three");
    expect(() => membership(home, { ...env, HOOKLINE_FLEET_ROOT: "x" })).toThrow("root");
    const seed = /SU[A-Z2-7]{56}/.exec(creds)?.[0] ?? "none";
    const cut = {
      ...env,
      HOOKLINE_FLEET_CREDS: creds.replace("NATS USER JWT", "NATS"),
      HOOKLINE_FLEET_ROOT: joined.root,
    };
    expect(() => membership(home, cut)).toThrow(/^HOOKLINE_FLEET_CREDS: /);
    expect(() => membership(home, cut)).not.toThrow(seed);
  });
});
