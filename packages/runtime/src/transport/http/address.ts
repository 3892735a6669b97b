import { BlockList, isIPv4, isIPv6 } from "node:net";

/** The kind of network that an address is in: the public internet, this machine, or an internal network. */
export type Reach = "public" | "loopback" | "internal";

/** IPv4 ranges that are not public (IANA special-purpose registry, read 2026-11), except loopback. */
const INTERNAL_V4 = [
  ["0.0.0.0", 8], // unspecified, "this network"
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // shared by carriers (CGNAT)
  ["169.254.0.0", 16], // link-local, metadata of clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
] as const;

/**
 * The parts of 2000::/3, the only public block of IPv6, that are not public; 6to4 and Teredo contain IPv4 addresses.
 */
const INTERNAL_V6 = [
  ["2001::", 23], // protocol assignments, Teredo among them
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4
  ["3fff::", 20], // documentation
] as const;

const listOf = (family: "ipv4" | "ipv6", nets: readonly (readonly [net: string, bits: number])[]): BlockList => {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, family);
  return list;
};
const internalV4 = listOf("ipv4", INTERNAL_V4);
const loopbackV4 = listOf("ipv4", [["127.0.0.0", 8]]);
const internalV6 = listOf("ipv6", INTERNAL_V6);
const loopbackV6 = listOf("ipv6", [["::1", 128]]);
const globalV6 = listOf("ipv6", [["2000::", 3]]);

/**
 * Classifies one address, in any notation that `node:net` reads. Anything that is not an address is internal. IPv6 that
 * contains an IPv4 address (mapped, NAT64, 6to4, Teredo) is internal, whatever it contains, because it could be used to
 * evade the rules.
 */
export function reachOf(address: string): Reach {
  if (isIPv4(address)) {
    if (loopbackV4.check(address)) return "loopback";
    return internalV4.check(address) ? "internal" : "public";
  }
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (!isIPv6(address) || address.includes("%")) return "internal";
  if (loopbackV6.check(address, "ipv6")) return "loopback";
  return globalV6.check(address, "ipv6") && !internalV6.check(address, "ipv6") ? "public" : "internal";
}
