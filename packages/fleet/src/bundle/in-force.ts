import { join } from "node:path";
import type { Membership } from "../place/joined.ts";
import type { Bundle } from "./bundle.ts";
import { folderBundle } from "./folder.ts";

/**
 * The bundle that a machine trusts: the folder that has its root's SHA-256. Everything that asks, serves or shows a
 * bundle gets it from here. Throws why there is none, in words.
 */
export function bundleInForce({ bundles, root, fleet, channel }: Membership): Bundle {
  const bundle = folderBundle(join(bundles, root));
  const { digest, folder, manifest } = bundle;
  if (digest !== root) throw new Error(`${folder} has the SHA-256 ${digest}, and ${root} is trusted`);
  if (manifest.fleet !== fleet) throw new Error(`${folder} is of the fleet ${manifest.fleet}`);
  if (manifest.channel !== channel) throw new Error(`${folder} is of the channel ${manifest.channel}, not ${channel}`);
  return bundle;
}
