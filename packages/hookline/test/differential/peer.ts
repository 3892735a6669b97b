import { describe } from "vitest";
import { peerFolder } from "../../../../bench/peer.ts";

const NAME = "@earendil-works/pi-coding-agent";
/** Releases that hooks are compared with; `HOOKLINE_PI` chooses another than the first. */
export const VERSIONS = ["0.87.1", "1.6.0"] as const;
const VERSION = process.env["HOOKLINE_PI"] ?? VERSIONS[0];

/** The folder of the real pi, or the reason why it could not be installed. */
export type Peer = { readonly folder: string } | { readonly absent: string };

/** The real pi, fetched through npm when it is not in the cache yet. */
export const peer: Peer = fetched();

/** A `describe` that is skipped, saying why, where the real pi cannot be had. */
export function describeWithPeer(name: string, tests: (folder: string) => void): void {
  if ("absent" in peer) describe.skip(`${name} (${peer.absent})`, () => tests(""));
  else describe(name, () => tests(peer.folder));
}

function fetched(): Peer {
  try {
    return { folder: peerFolder(NAME, VERSION) };
  } catch (thrown) {
    return { absent: (thrown as Error).message };
  }
}

/** Names of the package for extensions that only releases after 0.87.1 have. */
export const NEWER = [
  "createCodemodeExtension",
  "createMcpExtension",
  "createToolSearchExtension",
  "formatReadLineRange",
];
