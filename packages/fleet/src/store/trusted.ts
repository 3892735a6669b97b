import type { Bus } from "../link/bus.ts";
import { Refused } from "../policy/refused.ts";
import { nextRoot, pinnedRoot, type TrustedRoot } from "../policy/root.ts";
import { KEYS, readKey } from "./buckets.ts";

/** The newest root that the pinned one leads to; throws `Refused` if the server does not have the pinned one. */
export async function trustedRoot(bus: Bus, fleet: string, pin: string): Promise<TrustedRoot> {
  const pinned = await readKey(bus, fleet, { bucket: "policy", key: KEYS.pin(pin) });
  if (pinned === undefined)
    throw new Refused(
      "missing",
      `the fleet ${fleet} has no root ${pin}; \`hookline fleet root publish\` puts it there`,
    );
  let root = pinnedRoot(pinned.data, pin);
  if (root.fleet !== fleet)
    throw new Refused("fleet", `the root ${pin} is of the fleet ${root.fleet}, not of ${fleet}`);
  for (;;) {
    const next = await readKey(bus, fleet, { bucket: "policy", key: KEYS.root(root.version + 1) });
    if (next === undefined) return root;
    root = nextRoot(next.data, root);
  }
}
