import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Diagnostic, diagnose, type Tier } from "@hookline/runtime";
import { kindAt, namesIn, type ResourcePlace, readMarkdown } from "../prompt/markdown-files.ts";

/** Instructions for one kind of task, which the model reads when it needs them. Source: agentskills.io. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** What paths in it are relative to. */
  readonly folder: string;
  readonly body: string;
  readonly tier: Tier;
  /** Only the person may call it up. */
  readonly hidden: boolean;
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/** Reads the skills of several places; of two with one name the first is used, the other is reported. */
export async function findSkills(
  places: readonly ResourcePlace[],
  report: (diagnostic: Diagnostic) => void,
): Promise<Skill[]> {
  const found = new Map<string, Skill>();
  const seen = new Set<string>();
  for (const place of places) {
    for (const path of skillFiles(place.path, place.isStrict !== true)) {
      const real = realpathSync(path);
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

/** The files of a place: itself, a folder's `SKILL.md`, else those of the folders below and, of the outermost, the `.md` files in it. */
export function skillFiles(path: string, outermost: boolean): string[] {
  if (kindAt(path) === "file") return path.endsWith(".md") ? [path] : [];
  const names = namesIn(path);
  if (names.includes("SKILL.md") && kindAt(join(path, "SKILL.md")) === "file") return [join(path, "SKILL.md")];
  return names.flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    const inner = join(path, name);
    const kind = kindAt(inner);
    if (kind === "folder") return skillFiles(inner, false);
    return outermost && kind === "file" && name.endsWith(".md") ? [inner] : [];
  });
}

async function readSkill(place: ResourcePlace, report: (diagnostic: Diagnostic) => void): Promise<Skill | undefined> {
  const { path, tier } = place;
  const isDeclared = basename(path) === "SKILL.md";
  const file = await readMarkdown(place, isDeclared ? report : () => {});
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
    lint(`the skill's name "${name}" is not as it should be`, `Use a-z, 0-9 and single hyphens, at most ${MAX_NAME}.`);
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
