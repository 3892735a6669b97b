import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { HooklineError } from "@hookline/ground";
import { systemFiles } from "@hookline/ground/system";
import { isOfProject } from "../dialect/project.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the person's home folder: `HOME`, or the passwd entry's if that is no absolute path. From a relative one, a
 * project could supply the person's own hooks (ruling 58). Throws if there is neither.
 */
export function personHome(env: Env): string {
  const given = process.platform === "win32" ? homedir() : env["HOME"];
  if (given !== undefined && isAbsolute(given)) return given;
  const own = ofPasswd();
  if (own !== undefined) return own;
  throw new HooklineError("INVALID_OPTION", {
    option: "HOME",
    problem:
      given === undefined || given === "" ? "is not set, and this user has no home folder" : "is a relative path",
    remedy: "Set HOME to the absolute path of your home folder.",
  });
}

function ofPasswd(): string | undefined {
  try {
    const { homedir: own } = userInfo();
    return isAbsolute(own) ? own : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns hookline's own folder: `HOOKLINE_HOME` if it is absolute and does not lead into the project of `cwd`, else
 * `.hookline` in the home folder.
 */
export function hooklineHomeOf(env: Env, home: string, cwd: string = process.cwd()): string {
  const given = env["HOOKLINE_HOME"];
  const usual = join(home, ".hookline");
  if (given === undefined || !isAbsolute(given)) return usual;
  return isOfProject(given, usual, { cwd, home, files: systemFiles }) ? usual : given;
}
