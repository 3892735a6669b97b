import { addressOf } from "./address.ts";

/**
 * The first patch of each release line of nats-server that fixes CVE-2025-30215, through which the users of one account
 * reached other accounts. Lines before 2.10 get no fixes any more.
 */
const MENDED: Readonly<Record<string, number>> = { "2.10": 27, "2.11": 1 };

/** Returns a warning about a nats-server with known security faults. A `nats:` URL gets none, as it is loopback. */
export function versionWarning(version: string, url: string): string | undefined {
  if (!addressOf(url).needsTls) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  const least = MENDED[`${major}.${minor}`];
  const isOld = major < 2 || (major === 2 && minor < 10) || (least !== undefined && patch < least);
  return isOld ? `nats-server ${version} has open advisories; use 2.10.27, 2.11.1 or a later one` : undefined;
}
