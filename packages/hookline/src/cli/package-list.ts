import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { didYouMean, messageOf, nearest } from "@hookline/ground";
import { EXIT, type Io, jsonText, plain, shortPath, systemFiles } from "@hookline/ground/system";
import { packages } from "@hookline/integrations";
import { isInside } from "@hookline/runtime/engine";
import { trustRefusalHere } from "../consent/refusal.ts";
import { difference } from "../consent/review-text.ts";
import { draftPackage, type PackageDraft } from "../package/fetch.ts";
import { LOCK, lockedIn } from "../package/npm.ts";
import { writeSetting } from "../settings/write.ts";
import type { Arguments } from "../start/args.ts";
import { type Place, placeOf } from "../start/place.ts";
import { yesAsker } from "./ask-yes.ts";

/** The maximum number of changed lines that are shown for a package. */
const MOST_LINES = 400;

/** hookline's package list of the user or of the project, which the command changes; pi's lists are separate. */
interface Own {
  /** The folder with the settings and the fetched packages. */
  readonly folder: string;
  readonly sources: readonly string[];
  readonly isProject: boolean;
}

/** `hookline packages add SOURCE [--project]`: fetches a package and adds its exact version to a list. */
export async function addPackage(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const [text] = args.words;
  if (text === undefined) return wrong(io, "Which package? `hookline packages add SOURCE`, such as npm:NAME@VERSION.");
  const refusal = trustRefusalHere(place.hooklineHome, place.cwd, io.env);
  if (refusal !== undefined) return failed(io, refusal);
  const own = ownList(place, args, io);
  const isFolder = systemFiles.stat(resolve(place.cwd, text))?.kind === "directory";
  if (!packages.isPackageSource(text)) {
    if (isFolder) return addFolder(resolve(place.cwd, text), own, place, args, io);
    const guess = /^[@\w./-]+(@[\w.^~-]+)?$/.test(text) ? ` For a package of npm write npm:${text}.` : "";
    return failed(io, `${plain(text)} is neither a folder nor the name of a package to fetch.${guess}`);
  }
  let draft: PackageDraft | undefined;
  try {
    draft = await draftPackage(text, { ...place, env: io.env, store: own.folder });
    return await addDraft(draft, own, args, io, place);
  } catch (thrown) {
    return failed(io, `${plain(text)} could not be added: ${plain(messageOf(thrown))}. Nothing was changed.`);
  } finally {
    draft?.discard();
  }
}

async function addDraft(draft: PackageDraft, own: Own, args: Arguments, io: Io, place: Place): Promise<number> {
  const { exact, record } = draft;
  const parts = partsOf(draft.root);
  if (parts.length === 0) return failed(io, `${plain(exact)} ${NOTHING}. Nothing was changed.`);
  const former = own.sources.find((one) => isSamePackage(one, exact));
  const then = former === undefined ? undefined : rootOf(former, own);
  const isJson = args.flags["json"] === true;
  if (former !== undefined && former !== exact) {
    const lines = then === undefined ? ["The earlier version is no longer here."] : changes(then, draft.root);
    const shown =
      lines.length > MOST_LINES
        ? [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more lines`]
        : lines;
    if (!isJson) io.out(`${plain(former)} → ${plain(exact)}\n${shown.join("\n")}\n\n`);
    if (args.flags["yes"] !== true && !(await yesAsker(io)?.(`Replace ${plain(former)} with ${plain(exact)}?`)))
      return failed(io, `Nothing was changed. Add \`--yes\` if you agree and are not at a terminal.`);
  }
  const { root } = draft.keep(exact);
  const sources =
    former === undefined ? [...own.sources, exact] : own.sources.map((one) => (one === former ? exact : one));
  writeList(own, [...new Set(sources)]);
  if (former !== undefined && former !== exact) forget(former, own);
  const { version, integrity } = record;
  const says =
    former === exact
      ? "was added before, and is fetched again"
      : former === undefined
        ? "is added"
        : `replaces ${plain(former)}`;
  if (isJson) io.out(jsonText({ v: 1, added: { source: exact, version, integrity, root, parts, replaced: former } }));
  else {
    io.out(`${plain(exact)} ${says}: ${plain(shortPath(root, place))}\n`);
    if (integrity !== undefined) io.out(`  ${plain(integrity)}\n`);
    for (const part of parts) io.out(`  ${plain(part)}\n`);
    io.out(nextSteps(own));
  }
  return EXIT.fine;
}

function addFolder(root: string, own: Own, place: Place, args: Arguments, io: Io): number {
  const parts = partsOf(root);
  if (parts.length === 0) return failed(io, `${plain(shortPath(root, place))} ${NOTHING}. Nothing was changed.`);
  const isBelow = root !== place.cwd && isInside(root, place.cwd);
  if (own.isProject && !isBelow)
    return failed(io, `${plain(root)} is outside this project, where its users do not have it. Nothing was changed.`);
  const source = own.isProject ? `./${relative(place.cwd, root)}` : root;
  const isThere = own.sources.includes(source);
  try {
    if (!isThere) writeList(own, [...own.sources, source]);
  } catch (thrown) {
    return failed(io, plain(messageOf(thrown)));
  }
  if (args.flags["json"] === true) io.out(jsonText({ v: 1, added: { source, root, parts } }));
  else {
    io.out(`${plain(source)} is ${isThere ? "in the list already" : "added"}, and is used in place.\n`);
    for (const part of parts) io.out(`  ${plain(part)}\n`);
    io.out(nextSteps(own));
  }
  return EXIT.fine;
}

const NOTHING =
  "has nothing to run: its package.json lists no files as `hookline.guards` or `pi.extensions`, and it has no folder `extensions`";

function nextSteps({ isProject }: Own): string {
  const next = isProject ? ["hookline trust approve", "hookline hooks"] : ["hookline hooks"];
  return `\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`;
}

/** `hookline packages remove SOURCE [--project]`: takes a package out of a list, and deletes what was fetched. */
export async function removePackage(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const [text] = args.words;
  if (text === undefined)
    return wrong(io, "Which package? `hookline packages remove SOURCE`; `hookline packages` lists them.");
  const refusal = trustRefusalHere(place.hooklineHome, place.cwd, io.env);
  if (refusal !== undefined) return failed(io, refusal);
  const own = ownList(place, args, io);
  const isMeant = (one: string): boolean => isNamed(one, text, place.cwd);
  const found = own.sources.filter(isMeant);
  if (found.length > 1)
    return failed(io, `${plain(text)} may be ${found.map(plain).join(" or ")}. Name one of them in full.`);
  const [source] = found;
  if (source === undefined) {
    const lists = packages.packageLists({ ...place, env: io.env, files: systemFiles });
    const other = lists.find(({ all }) => all.some(isMeant));
    if (other?.of === "pi")
      return failed(
        io,
        `${plain(other.path)} names it, which is pi's. Take it out with \`pi remove\`, or in that file.`,
      );
    if (other !== undefined)
      return failed(
        io,
        `${plain(other.path)} names it. ${other.tier === "project" ? "Add `--project`." : "Leave out `--project`."}`,
      );
    const guess = nearest(text, own.sources);
    return failed(
      io,
      `No list has the package ${plain(text)}. ${guess === undefined ? "`hookline packages` lists the packages." : didYouMean(guess)}`,
    );
  }
  try {
    writeList(
      own,
      own.sources.filter((one) => one !== source),
    );
    forget(source, own);
  } catch (thrown) {
    return failed(io, plain(messageOf(thrown)));
  }
  if (args.flags["json"] === true) io.out(jsonText({ v: 1, removed: source }));
  else io.out(`${plain(source)} is removed. Its guards no longer decide from the next start or /reload.\n`);
  return EXIT.fine;
}

/** `hookline packages list`: lists the packages of all lists, and whether they are fetched. */
export async function listPackages(args: Arguments, io: Io): Promise<number> {
  const place = await placeOf(args, io);
  const rows = packages.packageLists({ ...place, env: io.env, files: systemFiles }).flatMap((list) =>
    list.all.map((source) => {
      const at = list.at(source);
      const isThere = "root" in at && systemFiles.stat(at.root) !== undefined;
      const root = "root" in at ? at.root : at.folder;
      const read = packages.readPackageSource(source);
      const record =
        read === undefined ? {} : packages.packageRecord(systemFiles, packages.packageFolder(list.store, read));
      const { version, integrity } = isThere ? record : {};
      return {
        source,
        list: list.path,
        of: list.of,
        tier: list.tier,
        state: isThere ? "there" : "missing",
        ...(!isThere && { because: "reason" in at ? at.reason : `there is no such folder; ${list.path} names it` }),
        root,
        ...(version !== undefined && { version, integrity }),
        parts: isThere ? partsOf(root) : [],
      };
    }),
  );
  if (args.flags["json"] === true) {
    io.out(jsonText({ v: 1, packages: rows }));
    return EXIT.fine;
  }
  if (rows.length === 0)
    io.out("No package is in your list, this project's, or pi's. `hookline packages add npm:NAME` adds one.\n");
  for (const { source, list, state, because, parts } of rows) {
    io.out(`${state.padEnd(8)} ${plain(source)}  (${plain(shortPath(list, place))})\n`);
    for (const line of because === undefined ? parts : [because]) io.out(`         ${plain(line)}\n`);
  }
  return EXIT.fine;
}

function ownList(place: Place, args: Arguments, io: Io): Own {
  const isProject = args.flags["project"] === true;
  const folder = isProject ? join(place.cwd, ".hookline") : place.hooklineHome;
  const lists = packages.packageLists({ ...place, env: io.env, files: systemFiles });
  const own = lists.find(({ of, store }) => of === "hookline" && store === folder);
  return { folder, isProject, sources: own?.all ?? [] };
}

function writeList({ folder, isProject }: Own, sources: readonly string[]): void {
  writeSetting(folder, "packages", sources.length === 0 ? undefined : sources);
  // Git ignores fetched packages. Each clone fetches them again; a lock has the hashes that their bytes must have.
  const ignore = join(folder, "packages", ".gitignore");
  if (!isProject || systemFiles.stat(ignore) !== undefined || sources.length === 0) return;
  mkdirSync(join(folder, "packages"), { recursive: true });
  writeFileSync(ignore, "*\n");
}

/** Lists the guards and the pi extensions of a package, one file a line. */
function partsOf(root: string): string[] {
  const guards = packages.packageGuards(systemFiles, root).map((path) => `guard ${relative(root, path)}`);
  const extensions = packages.packageModules(systemFiles, root, { source: root });
  return [...guards, ...extensions.map((path) => `pi extension ${relative(root, path)}`)];
}

/** Returns the folder of a fetched package of a list; undefined if it is missing or was changed. */
function rootOf(source: string, { folder }: Own): string | undefined {
  const found = packages.fetchedRoot({ files: systemFiles, hooklineHome: folder }, source);
  return "root" in found ? found.root : undefined;
}

function forget(source: string, { folder }: Own): void {
  const read = packages.readPackageSource(source);
  if (read !== undefined) rmSync(packages.packageFolder(folder, read).prefix, { recursive: true, force: true });
}

function isSamePackage(one: string, other: string): boolean {
  const [a, b] = [packages.readPackageSource(one), packages.readPackageSource(other)];
  if (a?.kind === "npm" && b?.kind === "npm") return a.name === b.name;
  return a?.kind === "git" && b?.kind === "git" ? a.url === b.url : one === other;
}

/** Returns whether a word names a package of a list: as the list writes it, by the package's name, or by its folder. */
function isNamed(source: string, word: string, cwd: string): boolean {
  const read = packages.readPackageSource(source);
  if (source === word || isSamePackage(source, word)) return true;
  if (read?.kind === "npm") return read.name === word;
  if (read?.kind === "git") return read.place.split(/[\\/]/).at(-1) === word;
  return resolve(cwd, source) === resolve(cwd, word);
}

/** Lists the differences between two versions of a package: its files, then its dependencies. */
function changes(then: string, now: string): string[] {
  const [old, fresh] = [then, now].map((root) => packages.packageHashes(systemFiles, root));
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])].sort();
  const changed = names.filter((name) => old?.[name] !== fresh?.[name]);
  const files = changed.flatMap((name) => [
    `--- ${plain(name)}${old?.[name] === undefined ? ", new" : fresh?.[name] === undefined ? ", no longer there" : ""}:`,
    ...difference(textIn(then, name), textIn(now, name)).filter((line) => line.trim() !== ""),
  ]);
  const [before, after] = [then, now].map(dependenciesOf);
  const needs = difference(before ?? "", after ?? "").filter((line) => /^[+-]/.test(line) && line.trim().length > 1);
  const lines = [...files, ...(needs.length === 0 ? [] : ["--- its dependencies:", ...needs])];
  return lines.length === 0 ? ["The files are the same."] : lines;
}

function textIn(root: string, name: string): string {
  const path = join(root, name);
  return systemFiles.stat(path)?.kind === "file" ? readFileSync(path, "utf8") : "";
}

/** Lists the packages installed beside a package, one a line, with the hashes from the registry. */
function dependenciesOf(root: string): string {
  const folder = root.replace(/[\\/](?:node_modules[\\/].*|package)$/, "");
  const own = relative(folder, root).replaceAll("\\", "/");
  return Object.entries(lockedIn(join(folder, LOCK)))
    .filter(([path]) => path !== "" && path !== own)
    .map(([path, { version, integrity }]) => `${path.replace(/^.*node_modules\//, "")}@${version} ${integrity}`)
    .sort()
    .join("\n");
}

function failed(io: Io, says: string): number {
  io.err(`${says}\n`);
  return EXIT.failed;
}

function wrong(io: Io, says: string): number {
  io.err(`${says}\n`);
  return EXIT.usage;
}
