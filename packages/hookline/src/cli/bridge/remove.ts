import { carryOut, removalFrom } from "@hookline/bridge";
import { EXIT, type Io, jsonText, plain } from "@hookline/ground/system";
import type { Arguments } from "../../start/args.ts";
import { agreed, changeText, refusalHere } from "./agree.ts";
import { wantedOf } from "./wanted.ts";

/** `hookline bridge remove HOST`: removes what was installed and nothing else. */
export async function removeBridge(args: Arguments, io: Io): Promise<number> {
  const { host, scope, at, path, format } = await wantedOf(args, io);
  const isJson = args.flags["json"] === true;
  const change = removalFrom(path, format);
  if (args.flags["dry-run"] !== true && change.action !== "none") {
    const refusal = refusalHere(at.hooklineHome, io);
    if (refusal !== undefined) {
      io.err(`${refusal}\n`);
      return EXIT.failed;
    }
    if (!isJson) io.out(`${host.label} will not ask hookline's hooks any more:\n\n${changeText(change)}\n`);
    if (!(await agreed(args, io, `Change ${plain(path)} so?`))) {
      io.err("Nothing was removed.\n");
      return EXIT.failed;
    }
    carryOut(change, "remove");
  }
  if (isJson) io.out(jsonText({ v: 1, host: host.name, scope, files: [{ path, action: change.action }] }));
  else if (change.action === "none") io.out(`${plain(path)} has no entries of hookline.\n`);
  else io.out(args.flags["dry-run"] === true ? (change.after ?? "") : `changed back: ${plain(path)}\n`);
  return EXIT.fine;
}
