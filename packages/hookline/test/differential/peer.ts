import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe } from "vitest";
import { peerFolder } from "../../../../bench/peer.ts";

const NAME = "@earendil-works/pi-coding-agent";
const VERSION = "0.87.1";
const lock = join(import.meta.dirname, "../../../../.cache/peers", `pi-coding-agent@${VERSION}.lock`);

/** Where the real pi is installed, or why it could not be had. */
export type Peer = { readonly folder: string } | { readonly absent: string };

/** The real pi, fetched through npm when it is not in the cache yet; several test files may ask at once. */
export const peer: Peer = await fetched();

/** A `describe` that is skipped, saying why, where the real pi cannot be had. */
export function describeWithPeer(name: string, tests: (folder: string) => void): void {
  if ("absent" in peer) describe.skip(`${name} (${peer.absent})`, () => tests(""));
  else describe(name, () => tests(peer.folder));
}

async function fetched(): Promise<Peer> {
  for (let tries = 0; !take(); tries += 1) {
    if (tries > 600) return { absent: `${lock} is held; remove it if nobody fetches` };
    await sleep(100);
  }
  try {
    return { folder: peerFolder(NAME, VERSION) };
  } catch {
    return { absent: `${NAME}@${VERSION} is not in the cache and the registry cannot be reached` };
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function take(): boolean {
  mkdirSync(join(lock, ".."), { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}
