import { resolve } from "node:path";
import type { Io } from "@hookline/ground/system";
import { settingsIn, undoCommand } from "@hookline/guards/parts";
import { personHome } from "@hookline/runtime/session";
import { hooklineHome } from "../session/directory.ts";
import { guardSession } from "../settings/parts.ts";
import { readSettings } from "../settings/settings.ts";
import { type Arguments, textFlag } from "../start/args.ts";
import { yesAsker } from "./ask-yes.ts";

/** `hookline undo [NUMBER]`: brings the project back to a checkpoint, or shows the checkpoints. */
export async function undoCalls({ words, flags, lists, ...args }: Arguments, io: Io): Promise<number> {
  const cwd = resolve(io.cwd, textFlag({ words, flags, lists, ...args }, "cwd") ?? ".");
  const home = personHome(io.env);
  const own = hooklineHome(io.env);
  const read = () => readSettings(own, cwd, io.managed, home);
  const session = guardSession({ cwd, home, hooklineHome: own }, read);
  const switches = ["list", "diff", "delete-new", "yes"] as const;
  const given = switches.filter((name) => flags[name] === true).map((name) => `--${name}`);
  const files = (lists["file"] ?? []).map((path) => `--file=${path}`);
  return undoCommand([...given, ...files, "--", ...words], {
    out: io.out,
    err: io.err,
    ask: yesAsker(io),
    cwd,
    home: own,
    settings: settingsIn("undo", {}, session),
    personHome: home,
  });
}
