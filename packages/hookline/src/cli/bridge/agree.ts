import type { FileChange } from "@hookline/bridge";
import type { Io } from "@hookline/ground/system";
import { plain } from "@hookline/ground/system";
import { hooklineAbove } from "../../consent/started-by.ts";
import type { Arguments } from "../../start/args.ts";
import { describeChange } from "../../tool/diff.ts";
import { yesAsker } from "../ask-yes.ts";

/** Returns why this command may not install or remove anything: an agent or a hook started it. Otherwise undefined. */
export function refusalHere(hooklineHome: string, io: Io): string | undefined {
  const above = hooklineAbove(hooklineHome, io.env);
  return above === undefined
    ? undefined
    : `Only a person sets up the bridge, and this command was started by ${above}. Run it in a terminal of your own.`;
}

/** Returns the text of a change: a new file in full, otherwise every line that changes. */
export function changeText({ path, action, before = "", after = "" }: FileChange): string {
  const title = { create: "new", change: "changed", delete: "deleted", none: "unchanged" }[action];
  const body = action === "create" ? after : describeChange(path, before, after).diff;
  const lines = body.trimEnd().split("\n");
  return `${plain(path)} (${title})\n${lines.map((line) => `  ${plain(line)}\n`).join("")}`;
}

/** Asks the person to agree to what was shown; returns whether they do. If nobody can be asked, suggests `--yes`. */
export async function agreed(args: Arguments, io: Io, question: string): Promise<boolean> {
  if (args.flags["yes"] === true) return true;
  const ask = args.flags["json"] === true ? undefined : yesAsker(io);
  if (ask === undefined) io.err("There is no terminal to ask on. Add --yes to agree to what is shown.\n");
  return (await ask?.(question)) ?? false;
}
