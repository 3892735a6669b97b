import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { kindAt, namesIn, parse } from "@hookline/ground/system";
import { listedSkills } from "../skill/show.ts";
import { piAgentDir } from "./pi-paths.ts";
import { createSyntheticSourceInfo } from "./source-info.ts";

/** A skill in the form that pi's loaders return. */
export interface LoadedSkill {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly baseDir: string;
  readonly disableModelInvocation: boolean;
}

interface Loaded {
  readonly skills: LoadedSkill[];
  readonly diagnostics: { readonly type: "warning" | "collision"; readonly message: string; readonly path: string }[];
}

interface SkillFolder {
  readonly dir: string;
  readonly source: string;
}

/** The folders and files in which skills are looked for. pi's own folders can be left out. */
interface LoadSkillsOptions {
  readonly cwd?: string;
  readonly agentDir?: string;
  readonly skillPaths?: readonly string[];
  readonly includeDefaults?: boolean;
}

/** Reads the skills of one folder. */
export function loadSkillsFromDir({ dir, source }: SkillFolder): Loaded {
  return collected(filesIn(dir, true).map((path) => ({ path, source })));
}

/** Reads the skills of the user, of the project and of named paths. Of several with one name, the first is used. */
export function loadSkills(options: LoadSkillsOptions = {}): Loaded {
  const { cwd = process.cwd(), agentDir = piAgentDir(), skillPaths = [], includeDefaults = true } = options;
  const named = skillPaths.map((path) => (isAbsolute(path) ? path : resolve(cwd, path)));
  const places = [
    ...(includeDefaults ? [join(agentDir, "skills"), join(cwd, ".pi/skills")] : []).map((dir, at) => ({
      dir,
      source: at === 0 ? "user" : "project",
    })),
    ...named.map((dir) => ({ dir, source: "path" })),
  ];
  return collected(places.flatMap(({ dir, source }) => filesIn(dir, true).map((path) => ({ path, source }))));
}

/** Formats the part of a system prompt that lists skills. */
export function formatSkillsForPrompt(skills: readonly LoadedSkill[]): string {
  const text = listedSkills(skills);
  return text === "" ? "" : `\n\n${text}`;
}

function collected(files: readonly { readonly path: string; readonly source: string }[]): Loaded {
  const skills = new Map<string, LoadedSkill>();
  const diagnostics: Loaded["diagnostics"] = [];
  const seen = new Set<string>();
  for (const { path, source } of files) {
    const real = realpathSync.native(path);
    if (seen.has(real)) continue;
    seen.add(real);
    const skill = skillAt(path, source);
    if (typeof skill === "string") diagnostics.push({ type: "warning", message: skill, path });
    else if (skills.has(skill.name))
      diagnostics.push({ type: "collision", message: `There is another skill of the name "${skill.name}"`, path });
    else skills.set(skill.name, skill);
  }
  return { skills: [...skills.values()], diagnostics };
}

/**
 * Returns the skill files at a path: the file itself, or a folder's `SKILL.md`, otherwise those of its subfolders. The
 * outermost folder may also contain skills as `.md` files.
 */
function filesIn(path: string, outermost: boolean): string[] {
  if (kindAt(path) === "file") return path.endsWith(".md") ? [path] : [];
  if (kindAt(join(path, "SKILL.md")) === "file") return [join(path, "SKILL.md")];
  return namesIn(path).flatMap((name) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    const inner = join(path, name);
    if (kindAt(inner) === "folder") return filesIn(inner, false);
    return outermost && name.endsWith(".md") ? [inner] : [];
  });
}

/** Reads one skill; returns a description of the problem if its file is not valid. */
function skillAt(path: string, source: string): LoadedSkill | string {
  let fields: Readonly<Record<string, unknown>>;
  try {
    const [, header = ""] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---/.exec(readFileSync(path, "utf8")) ?? [];
    fields = (parse(header) ?? {}) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    return (thrown as Error).message.split("\n")[0] ?? "";
  }
  const { name: given, description } = fields;
  if (typeof description !== "string" || description.trim() === "") return "The skill has no description";
  const baseDir = dirname(path);
  return {
    name: typeof given === "string" && given !== "" ? given : basename(baseDir),
    description,
    filePath: path,
    baseDir,
    disableModelInvocation: fields["disable-model-invocation"] === true,
    ...{ sourceInfo: createSyntheticSourceInfo(path, { source, baseDir }) },
  };
}
