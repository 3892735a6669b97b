import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseFrom, messageOf } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, shortPath } from "@hookline/ground/system";
import { GUARD_SETTINGS } from "@hookline/guards/settings";
import { expectedBySettings, meantBy } from "@hookline/runtime/session";
import { writeSetting } from "../../settings/write.ts";
import type { Arguments } from "../../start/args.ts";
import { type Place, placeOf } from "../../start/place.ts";

/** The guards that come with hookline, by the names under which a person adds them. */
export const GUARDS: readonly string[] = Object.keys(GUARD_SETTINGS);

/** The file that adds a guard for a person; `state` says whether it is as hookline wrote it. */
export interface GuardFile {
  readonly name: string;
  readonly path: string;
  readonly state: "absent" | "as written" | "changed";
}

/** Returns the text of a file that adds a guard: an import and a default export. */
export function guardText(name: string): string {
  return `import { ${name} } from "@hookline/guards";\n\nexport default ${name}();\n`;
}

type InHome = Pick<Place, "hooklineHome">;

function pathOf(name: string, { hooklineHome }: InHome): string {
  return join(hooklineHome, "guards", `${name}.ts`);
}

/** Returns where the file of a guard is, and whether it is there. Throws if it cannot be read. */
export function guardFile(name: string, place: InHome): GuardFile {
  const path = pathOf(name, place);
  if (!existsSync(path)) return { name, path, state: "absent" };
  return { name, path, state: readFileSync(path, "utf8") === guardText(name) ? "as written" : "changed" };
}

/** Returns the guards that the words name. If a name is unknown or missing, says so and returns `undefined`. */
export function namedGuards({ words }: Arguments, io: Io, verb: string): readonly string[] | undefined {
  const unknown = words.find((word) => !GUARDS.includes(word));
  if (unknown !== undefined) io.err(`There is no guard "${plain(unknown)}". ${chooseFrom(unknown, GUARDS)}\n`);
  else if (words.length === 0) io.err(`Which guard? \`hookline guards ${verb} NAME…\`, of ${GUARDS.join(", ")}.\n`);
  else return [...new Set(words)];
  return undefined;
}

/** A sentence that says what was done to one guard's file. */
interface Done {
  readonly name: string;
  readonly path: string;
  readonly is: "done" | "same" | "refused";
  readonly says: string;
}

/** `hookline guards add NAME… [--shadow]`: writes a file of two lines for each guard. Never overwrites anything. */
export async function addGuards(args: Arguments, io: Io): Promise<number> {
  const names = namedGuards(args, io, "add");
  if (names === undefined) return EXIT.usage;
  const place = await placeOf(args, io);
  const inShadow = args.flags["shadow"] === true;
  const done = names.map((name) => carriedOut(name, place, (file) => add(file, place, { names, inShadow })));
  const next = done.some(({ is }) => is === "done") ? ["hookline guards", "hookline guards try"] : [];
  return tell(done, next, args, io);
}

function add(
  file: GuardFile,
  place: Place,
  { names, inShadow }: { names: readonly string[]; inShadow: boolean },
): Done {
  const { name, path, state } = file;
  const shown = shortPath(path, place);
  if (state === "changed")
    return {
      name,
      path,
      is: "refused",
      says: `${shown} was changed by you, and is not overwritten. Move it away to get hookline's.`,
    };
  const has = (other: string): boolean => names.includes(other) || guardFile(other, place).state !== "absent";
  if (name === "paths" && has("commands"))
    return { name, path, is: "same", says: "paths is part of commands, and needs no file of its own." };
  const isListed = shadowed(place).some((one) => meantBy(one, place) === path);
  if (inShadow && !isListed) writeSetting(place.hooklineHome, "shadow", [...shadowed(place), path]);
  if (state === "absent") {
    mkdirSync(join(place.hooklineHome, "guards"), { recursive: true, mode: 0o700 });
    writeFileSync(path, guardText(name), { flag: "wx" });
  }
  const force =
    inShadow || isListed
      ? `It is in shadow: it is asked and decides nothing. \`hookline hooks enforce ${shown}\` puts it in force.`
      : "It decides from the next start or /reload.";
  const twin =
    name === "commands" && guardFile("paths", place).state !== "absent"
      ? " It includes paths: `hookline guards remove paths`."
      : "";
  return state === "absent"
    ? { name, path, is: "done", says: `${name} is added: ${shown}. ${force}${twin}` }
    : { name, path, is: inShadow && !isListed ? "done" : "same", says: `${name} is there already: ${shown}. ${force}` };
}

/** `hookline guards remove NAME…`: deletes the files that hookline wrote, and no other. */
export async function removeGuards(args: Arguments, io: Io): Promise<number> {
  const names = namedGuards(args, io, "remove");
  if (names === undefined) return EXIT.usage;
  const place = await placeOf(args, io);
  const done = names.map((name) => carriedOut(name, place, (file) => remove(file, place)));
  return tell(done, [], args, io);
}

function remove({ name, path, state }: GuardFile, place: Place): Done {
  const shown = shortPath(path, place);
  if (state === "absent") return { name, path, is: "refused", says: `${name} is not there: ${shown} does not exist.` };
  if (state === "changed")
    return {
      name,
      path,
      is: "refused",
      says: `${shown} was changed by you, and is not deleted. Delete it yourself if you no longer need it.`,
    };
  const { user, project } = place.settings;
  const names = (key: string) => user.get(key) as readonly string[] | undefined;
  const settings = {
    required: names("required"),
    failClosed: names("failClosed"),
    project: { required: project.required },
  };
  const demanded = expectedBySettings(settings, place).find((one) => one.path === path);
  if (demanded !== undefined)
    return {
      name,
      path,
      is: "refused",
      says: `${name} is not removed: settings say that "${demanded.name}" must run. Take it out of them first.`,
    };
  rmSync(path);
  const left = shadowed(place).filter((one) => meantBy(one, place) !== path);
  if (left.length < shadowed(place).length)
    writeSetting(place.hooklineHome, "shadow", left.length > 0 ? left : undefined);
  return {
    name,
    path,
    is: "done",
    says: `${name} is removed: ${shown}. It no longer decides from the next start or /reload.`,
  };
}

function shadowed({ settings: { user } }: Place): readonly string[] {
  return (user.get("shadow") as readonly string[] | undefined) ?? [];
}

/** Changes a guard's file; if the file system refuses that, the result says why. */
function carriedOut(name: string, place: Place, does: (file: GuardFile) => Done): Done {
  try {
    return does(guardFile(name, place));
  } catch (thrown) {
    const path = pathOf(name, place);
    const why = messageOf(thrown).replace(/\.$/, "");
    const says = `${name}: ${shortPath(path, place)} cannot be written: ${why}. Make it writable for you, and try again.`;
    return { name, path, is: "refused", says };
  }
}

function tell(done: readonly Done[], next: readonly string[], args: Arguments, io: Io): number {
  if (args.flags["json"] === true) io.out(jsonText({ v: 1, guards: done, next }));
  else {
    for (const { is, says } of done) (is === "refused" ? io.err : io.out)(`${plain(says)}\n`);
    if (next.length > 0) io.out(`\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`);
  }
  return done.some(({ is }) => is === "refused") ? EXIT.failed : EXIT.fine;
}
