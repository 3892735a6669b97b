import { basename, dirname, join } from "node:path";
import { diagnose, type Tier } from "@hookline/ground";
import { kindAt, namesIn, QUIETLY, realOf, type Searching, tellFile, tooManyFolders } from "@hookline/ground/system";
import type { Diagnostic } from "@hookline/runtime";
import { type ResourcePlace, readMarkdown } from "../prompt/markdown-files.ts";

/** Instructions for one kind of task, which the model reads when it needs them. Source: agentskills.io. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** The folder to which paths in the instructions are relative. */
  readonly folder: string;
  readonly body: string;
  readonly tier: Tier;
  /** Whether only the person may call the skill, not the model. */
  readonly hidden: boolean;
}

/** The largest number of folders that one search visits: a link may lead to a whole disk. */
const MOST_FOLDERS = 5000;

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/** Reads the skills in several folders and files. Of two with one name, the first is used, the other is reported. */
export async function findSkills(
  places: readonly ResourcePlace[],
  report: (diagnostic: Diagnostic) => void,
): Promise<Skill[]> {
  const found = new Map<string, Skill>();
  const seen = new Set<string>();
  for (const place of places) {
    const search = { tier: place.tier, report, been: new Set<string>() };
    for (const path of skillFiles(place.path, place.isStrict !== true, search)) {
      const real = realOf(path);
      if (seen.has(real)) continue;
      seen.add(real);
      const skill = await readSkill({ ...place, path }, report);
      if (skill === undefined) continue;
      const other = found.get(skill.name);
      if (other === undefined) found.set(skill.name, skill);
      else report(diagnose("DUPLICATE", { kind: "skill", key: skill.name, path, other: other.path }));
    }
  }
  return [...found.values()];
}

/** A running search. It remembers the visited folders, because links may lead back to them. */
export interface SkillSearch extends Searching {
  readonly been: Set<string>;
}

/**
 * Returns the skill files at a place: the file itself, or a folder's `SKILL.md`, otherwise those of its subfolders. The
 * outermost folder may also contain skills as `.md` files.
 */
export function skillFiles(
  path: string,
  outermost: boolean,
  search: SkillSearch = { ...QUIETLY, been: new Set() },
): string[] {
  const kind = kindAt(path, search);
  if (kind === "file" && path.endsWith(".md")) return [path];
  if (kind === "file") tellFile(path, search);
  if (kind !== "folder") return [];
  const been = new Set(search.been);
  const problems: Diagnostic[] = [];
  const within = { ...search, been, report: (problem: Diagnostic) => void problems.push(problem) };
  const found = skillsBelow(path, { ...within, most: been.size + MOST_FOLDERS }, outermost);
  if (been.size > search.been.size + MOST_FOLDERS) {
    // Nothing else is reported: a link may have led to folders elsewhere on the disk, with problems of their own.
    search.report(tooManyFolders(path, MOST_FOLDERS, search.tier));
    return [];
  }
  for (const problem of problems) search.report(problem);
  for (const folder of been) search.been.add(folder);
  return found;
}

/** Finds skills in a folder and its subfolders. Visits no more folders once `search` has visited over `most`. */
function skillsBelow(folder: string, search: SkillSearch & { readonly most: number }, isOutermost: boolean): string[] {
  const real = realOf(folder);
  if (search.been.has(real) || search.been.size > search.most) return [];
  search.been.add(real);
  const names = namesIn(folder, search);
  const own = join(folder, "SKILL.md");
  if (names.includes("SKILL.md") && kindAt(own, search) === "file") return [own];
  return names.flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules" || name === "SKILL.md") return [];
    const inner = join(folder, name);
    const kind = kindAt(inner, search);
    if (kind === "folder") return skillsBelow(inner, search, false);
    return isOutermost && kind === "file" && name.endsWith(".md") ? [inner] : [];
  });
}

async function readSkill(place: ResourcePlace, report: (diagnostic: Diagnostic) => void): Promise<Skill | undefined> {
  const { path, tier } = place;
  const isDeclared = basename(path) === "SKILL.md";
  // Only a `SKILL.md` is surely a skill. In any other file, wrong fields are not reported.
  const file = await readMarkdown(place, (problem) => {
    if (isDeclared || problem.code === "UNREADABLE") report(problem);
  });
  if (file === undefined) return undefined;
  const { description, name: given } = file.fields;
  const lint = (problem: string, remedy: string): void =>
    report(diagnose("LINT", { path, line: 1, problem, remedy }, { source: { path, tier } }));
  if (typeof description !== "string" || description.trim() === "") {
    if (isDeclared)
      lint("the skill has no description, so it is not used", 'Add a line "description: …" at its beginning.');
    return undefined;
  }
  const name = typeof given === "string" && given !== "" ? given : basename(dirname(path));
  if (name.length > MAX_NAME || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    lint(`the skill's name "${name}" is not valid`, `Use a-z, 0-9 and single hyphens, at most ${MAX_NAME}.`);
  if (description.length > MAX_DESCRIPTION)
    lint("the skill's description is too long", `Keep it within ${MAX_DESCRIPTION} characters.`);
  return {
    name,
    description,
    path,
    folder: dirname(path),
    body: file.body.trim(),
    tier,
    hidden: file.fields["disable-model-invocation"] === true,
  };
}
