import { describe } from "vitest";
import { peerFolder } from "../../../../bench/peer.ts";

const NAME = "@earendil-works/pi-coding-agent";
/** Releases that hooks are compared with; `HOOKLINE_PI` chooses another than the first. */
export const VERSIONS = ["0.87.1", "1.6.0"] as const;
export type Release = (typeof VERSIONS)[number];
/** The release that this run compares with; one that is newer than all known counts as the newest. */
export const RELEASE = (process.env["HOOKLINE_PI"] ?? VERSIONS[0]) as Release;

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
    return { folder: peerFolder(NAME, RELEASE) };
  } catch (thrown) {
    return { absent: (thrown as Error).message };
  }
}

/** Whether this run compares with a release after 0.87.1. */
export const IS_NEWER = RELEASE !== VERSIONS[0];

/** Names of the package for extensions that only releases after 0.87.1 have. */
export const NEWER = [
  "createCodemodeExtension",
  "createMcpExtension",
  "createToolSearchExtension",
  "formatReadLineRange",
  "VIRTUAL_MODEL_STATE_ENTRY",
];
