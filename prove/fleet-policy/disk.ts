import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../packages/fleet/src/policy/key.ts";
import { sealManifest } from "../../packages/fleet/src/policy/manifest.ts";
import { sealRoot } from "../../packages/fleet/src/policy/root.ts";
import { pinnedChain, writeRoots } from "../../packages/fleet/src/policy/roots.ts";
import { raiseSeen } from "../../packages/fleet/src/policy/seen.ts";
import type { Dice } from "../stage/dice.ts";
import { KEYS, type Machine, publication, rootOf } from "./machine.ts";

/** A bundle in use: its folder, and one of its files. */
interface Held {
  readonly machine: Machine;
  readonly place: string;
  readonly file: string;
  readonly dice: Dice;
}

function linked(path: string, machine: Machine): void {
  const aside = join(machine.folder, "aside");
  renameSync(path, aside);
  symlinkSync(aside, path);
}

/** Changes that an attacker makes to a machine's files between two starts; the next start must notice each. */
export const CHANGES: Readonly<Record<string, (held: Held) => void>> = {
  "a file changed on disk": ({ file, dice }) => writeFileSync(file, `export const evil = ${dice.below(1e6)};\n`),
  "a file cut on disk": ({ file }) => truncateSync(file, 3),
  "a file removed on disk": ({ file }) => rmSync(file),
  "a file replaced by a link": ({ file, machine }) => linked(file, machine),
  "a folder replaced by a link": ({ place, machine }) => linked(join(place, "files"), machine),
  "a file added on disk": ({ place, dice }) => {
    const folder = join(place, "files", dice.pick(["", "hooks", ".git", ".pi/extensions"]));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, dice.pick(["new.ts", ".hidden", "index.js"])), "export const evil = 1;\n");
  },
  "a file made a program": ({ file }) => chmodSync(file, 0o700),
  "a manifest of strangers on disk": ({ place, dice }) =>
    writeFileSync(join(place, "manifest.json"), sealManifest(publication(dice, 99).manifest, [KEYS.stranger])),
  "a manifest of other files on disk": ({ place, dice }) =>
    writeFileSync(join(place, "manifest.json"), sealManifest(publication(dice, 99).manifest, [KEYS.policy])),
  "the roots, damaged": ({ machine, dice }) =>
    writeFileSync(
      machine.place.roots,
      dice.pick(["", "{}", "null", '{"v":1,"roots":[]}', '{"v":1,"roots":["e30="]}']),
      {
        mode: 0o600,
      },
    ),
  "the roots of somebody else": ({ machine }) => {
    const bytes = sealRoot(rootOf({ version: 9 }), [KEYS.root]);
    writeRoots(machine.place.roots, pinnedChain(bytes, sha256(bytes)));
  },
  "the roots, older than what was seen": ({ machine, dice }) =>
    raiseSeen(machine.place.seen, (seen) => ({ ...seen, root: { ...seen.root, version: 2 + dice.below(9) } })),
  "the roots, removed": ({ machine }) => rmSync(machine.place.roots),
  "what was seen, damaged": ({ machine, dice }) =>
    writeFileSync(machine.place.seen, dice.pick(["", "{}", "null", '{"v":1', '{"v":1,"v":1}']), { mode: 0o600 }),
};

/** Returns the bundle that a machine uses. */
export function heldBy(machine: Machine, dice: Dice): Held {
  const [digest = ""] = machine.bundles();
  const place = join(machine.place.bundles, digest);
  const files = readdirSync(join(place, "files"), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const { parentPath, name } = dice.pick(files);
  return { machine, place, file: join(parentPath, name), dice };
}
