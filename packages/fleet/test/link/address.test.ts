import { describe, expect, test } from "vitest";
import { addressOf } from "../../src/link/address.ts";
import { versionWarning } from "../../src/link/version.ts";

describe("the server's address", () => {
  test.each([
    ["nats://127.0.0.1:4222", "127.0.0.1", 4222, false],
    ["nats://localhost", "localhost", 4222, false],
    ["nats://[::1]:99", "[::1]", 99, false],
    ["nats://127.8.9.1:1", "127.8.9.1", 1, false],
    ["tls://fleet.example.com", "fleet.example.com", 4222, true],
    ["tls://10.0.0.1:7000", "10.0.0.1", 7000, true],
  ])("%s", (url, host, port, needsTls) => expect(addressOf(url)).toMatchObject({ host, port, needsTls }));

  test.each([
    "nats://fleet.example.com",
    "nats://10.0.0.1:4222",
    "nats://127.0.0.1.example.com",
    "nats://0.0.0.0:4222",
    "nats://[::]:1",
  ])("%s would not be encrypted", (url) => expect(() => addressOf(url)).toThrow("must be encrypted"));

  test.each(["", "127.0.0.1:4222", "http://127.0.0.1", "nats://", "nats://me:secret@127.0.0.1"])(
    "%j is none",
    (url) => {
      expect(() => addressOf(url)).toThrow("the URL must");
      expect(() => addressOf(url)).not.toThrow("secret");
    },
  );
});

test("an old server is named where other machines can reach it", () => {
  expect(versionWarning("2.9.10", "nats://127.0.0.1:4222")).toBeUndefined();
  for (const version of ["2.9.10", "2.10.26", "2.11.0", "1.4.1"])
    expect(versionWarning(version, "tls://example.com")).toContain(version);
  for (const version of ["2.10.27", "2.11.1", "2.12.0", "3.0.0", "2.12.0-RC.1"])
    expect(versionWarning(version, "tls://example.com")).toBeUndefined();
});
