import { addressOf } from "./address.ts";

/**
 * For each release line of the server, the oldest patch without the known fault that let users of an account reach
 * other accounts (CVE-2025-30215). Older lines get no fixes any more.
 */
const MENDED: Readonly<Record<string, number>> = { "2.10": 27, "2.11": 1 };

/** Returns a warning about a server with a known fault, if other machines can reach the server. */
export function versionWarning(version: string, url: string): string | undefined {
  if (!addressOf(url).needsTls) return undefined;
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  const least = MENDED[`${major}.${minor}`];
  const isOld = major < 2 || (major === 2 && minor < 10) || (least !== undefined && patch < least);
  return isOld ? `nats-server ${version} has open advisories; use 2.10.27, 2.11.1 or a later one` : undefined;
}
