import { isIPv6, SocketAddress } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { reachOf } from "../../src/transport/http/address.ts";

test.each([
  ["8.8.8.8", "public"],
  ["1.1.1.1", "public"],
  ["100.63.255.255", "public"],
  ["100.128.0.0", "public"],
  ["172.15.255.255", "public"],
  ["172.32.0.0", "public"],
  ["223.255.255.255", "public"],
  ["2606:4700::1111", "public"],
  ["2001:4860:4860::8888", "public"],
  ["2a00::1", "public"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["0.0.0.0", "internal"],
  ["0.1.2.3", "internal"],
  ["10.0.0.0", "internal"],
  ["10.255.255.255", "internal"],
  ["100.64.0.1", "internal"],
  ["100.127.255.255", "internal"],
  ["169.254.169.254", "internal"],
  ["172.16.0.1", "internal"],
  ["172.31.255.255", "internal"],
  ["192.168.1.1", "internal"],
  ["192.0.0.8", "internal"],
  ["192.0.2.1", "internal"],
  ["198.18.0.1", "internal"],
  ["198.19.255.255", "internal"],
  ["198.51.100.1", "internal"],
  ["203.0.113.1", "internal"],
  ["224.0.0.1", "internal"],
  ["239.255.255.255", "internal"],
  ["240.0.0.1", "internal"],
  ["255.255.255.255", "internal"],
  ["::", "internal"],
  ["::2", "internal"],
  ["::ffff:127.0.0.1", "internal"],
  ["::ffff:7f00:1", "internal"],
  ["::ffff:8.8.8.8", "internal"],
  ["::127.0.0.1", "internal"],
  ["64:ff9b::8.8.8.8", "internal"],
  ["64:ff9b::7f00:1", "internal"],
  ["64:ff9b:1::1", "internal"],
  ["100::1", "internal"],
  ["2001::1", "internal"],
  ["2001:0:7f00:1::", "internal"],
  ["2001:db8::1", "internal"],
  ["2002:7f00:1::", "internal"],
  ["2002:0808:0808::", "internal"],
  ["3fff::1", "internal"],
  ["fc00::1", "internal"],
  ["fd12:3456::1", "internal"],
  ["fe80::1", "internal"],
  ["fe80::1%lo", "internal"],
  ["2606:4700::1111%eth0", "internal"],
  ["::1%lo", "internal"],
  ["fec0::1", "internal"],
  ["ff02::1", "internal"],
  ["5f00::1", "internal"],
  ["", "internal"],
  ["localhost", "internal"],
  ["127.1", "internal"],
  ["0x7f.0.0.1", "internal"],
  ["127.0.0.1 ", "internal"],
  ["[::1]", "internal"],
  ["8.8.8.8\0", "internal"],
] as const)("%s is %s", (address, reach) => {
  expect(reachOf(address)).toBe(reach);
});

const byte = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 0, max: 0xffff });
const dotted = fc.tuple(byte, byte, byte, byte).map((parts) => parts.join("."));

/** The judgement again, by arithmetic in place of lists. */
function expectedV4(address: string): string {
  const [a = 0, b = 0, c = 0] = address.split(".").map(Number);
  if (a === 127) return "loopback";
  if (a === 0 || a === 10 || a >= 224 || (a === 100 && b >> 6 === 1) || (a === 169 && b === 254)) return "internal";
  if ((a === 172 && b >> 4 === 1) || (a === 198 && b >> 1 === 9)) return "internal";
  const few = ["192.0.0", "192.0.2", "192.88.99", "198.51.100", "203.0.113"];
  return (a === 192 && b === 168) || few.includes(`${a}.${b}.${c}`) ? "internal" : "public";
}

test("every IPv4 address is judged as arithmetic judges it", () => {
  const near = fc.constantFrom(
    "10",
    "100.64",
    "127",
    "169.254",
    "172.16",
    "192.0",
    "192.88",
    "192.168",
    "198",
    "203.0",
  );
  const beside = fc.tuple(near, byte, byte, byte).map(([start, ...rest]) => {
    const parts = [...start.split("."), ...rest];
    return parts.slice(0, 4).join(".");
  });
  fc.assert(
    fc.property(fc.oneof(dotted, beside), (address) => {
      expect([address, reachOf(address)]).toEqual([address, expectedV4(address)]);
    }),
    { numRuns: 5000 },
  );
});

/** Spellings of one IPv6 address. */
function spellings(groups: readonly number[]): string[] {
  const hex = groups.map((one) => one.toString(16));
  const tail = [groups[6] ?? 0, groups[7] ?? 0].flatMap((one) => [one >> 8, one & 255]).join(".");
  const full = hex.join(":");
  const short = new SocketAddress({ address: full, family: "ipv6" }).address;
  const padded = hex.map((one) => one.padStart(4, "0")).join(":");
  return [full, full.toUpperCase(), padded, short, `${hex.slice(0, 6).join(":")}:${tail}`];
}

test("every spelling of an IPv6 address is judged alike, and only 2000::/3 is ever public", () => {
  const starts = fc.constantFrom<readonly number[]>(
    ...[[], [0, 0, 0, 0, 0, 0xffff], [0x64, 0xff9b, 0, 0, 0, 0], [0x2002], [0x2001, 0], [0x2001, 0xdb8], [0x3fff, 0]],
    ...[[0xfe80], [0xfc00], [0xfd00], [0xff02], [0, 0, 0, 0, 0, 0, 0], [0x2000], [0x2606]],
  );
  const address = fc
    .tuple(starts, fc.array(group, { minLength: 8, maxLength: 8 }))
    .map(([start, rest]) => [...start, ...rest].slice(0, 8));
  fc.assert(
    fc.property(address, (groups) => {
      const [first = 0, second = 0] = groups;
      const isSpecial =
        first === 0x2002 ||
        (first === 0x2001 && (second < 0x200 || second === 0xdb8)) ||
        (first === 0x3fff && second < 0x1000);
      const isOne = groups.slice(0, 7).every((one) => one === 0) && groups[7] === 1;
      const reach = isOne ? "loopback" : first >> 13 === 1 && !isSpecial ? "public" : "internal";
      for (const spelling of spellings(groups)) {
        expect(isIPv6(spelling)).toBe(true);
        expect([spelling, reachOf(spelling)]).toEqual([spelling, reach]);
      }
    }),
    { numRuns: 5000 },
  );
});

test("a text that is no address is never public", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.domain(), fc.ipV4Extended()), (text) => {
      if (!/^(\d{1,3}\.){3}\d{1,3}$/.test(text) && !isIPv6(text)) expect(reachOf(text)).toBe("internal");
    }),
  );
});
