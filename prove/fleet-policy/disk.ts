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
import { sealManifest } from "../../packages/fleet/src/policy/manifest.ts";
import type { Dice } from "../stage/dice.ts";
import { KEYS, type Machine, publication } from "./machine.ts";

/** A bundle that is in use: its folder, and one of its files. */
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

/** What somebody does to the files of a machine between two starts; the next start must notice. */
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
  "what was seen, damaged": ({ machine, dice }) =>
    writeFileSync(machine.place.seen, dice.pick(["", "{}", "null", '{"v":1', '{"v":1,"v":1}']), { mode: 0o600 }),
};

/** The bundle that a machine uses. */
export function heldBy(machine: Machine, dice: Dice): Held {
  const [digest = ""] = machine.bundles();
  const place = join(machine.place.bundles, digest);
  const files = readdirSync(join(place, "files"), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const { parentPath, name } = dice.pick(files);
  return { machine, place, file: join(parentPath, name), dice };
}
