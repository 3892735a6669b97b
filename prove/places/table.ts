/** A path that is read at a start or a reload. */
export interface SearchedPlace {
  /** Relative to the project, or to the home folder if it starts with `~/`. */
  readonly path: string;
  /** Valid content; empty for a folder. */
  readonly text: string;
  /** Set if the path is read, and then reported, only when something needs it. */
  readonly onDemand?: true;
}

const EXTENSION = "export default () => {};\n";
const HOOKS = "stop:\n  - command: cat\n";
const RULE = "---\ncondition: never-said\n---\nA rule.\n";
const AGENT = "---\nname: odd\ndescription: an agent\n---\nAn agent.\n";
const SKILL = "---\ndescription: a skill\n---\nA skill.\n";

const of = (text: string, ...paths: readonly string[]): SearchedPlace[] => paths.map((path) => ({ path, text }));

/**
 * All searched paths by program: definitions, settings, models, stores, texts, packages; the user's and the project's.
 */
export const PLACES: readonly SearchedPlace[] = [
  // pi
  ...of(EXTENSION, "~/.pi/agent/extensions/odd.ts", ".pi/extensions/odd.ts", ".pi/extensions/odd/index.ts"),
  ...of("{}", "~/.pi/agent/settings.json", ".pi/settings.json"),
  ...of("", ".pi", ".pi/extensions", "~/.pi/agent/prompts", "~/.pi/agent/skills", "~/.pi/agent/npm"),
  // oh-my-pi
  ...of(EXTENSION, "~/.omp/agent/hooks/pre/odd.ts", "~/.omp/agent/extensions/odd.ts", ".omp/hooks/pre/odd.ts"),
  ...of(EXTENSION, ".omp/extensions/odd.ts", ".omp/hooks/post/odd.ts"),
  ...of("", ".omp", ".omp/hooks", ".omp/rules", "~/.omp/agent/config.yml", ".omp/settings.json"),
  ...of(RULE, "~/.omp/agent/rules/odd.md", ".omp/rules/odd.md"),
  // j-cli
  ...of(HOOKS, ".jcli/hooks.yaml", "~/.hookline/hooks.yaml", ".jcli/hooks/odd/HOOK.yaml"),
  ...of("", ".jcli", ".jcli/hooks", "~/.jdata/agent/hooks"),
  // chibi
  ...of("#!/bin/sh\necho '{}'\n", "~/.chibi/plugins/odd", ".hookline/plugins/odd", "~/.hookline/plugins/odd"),
  ...of("", "~/.chibi/config.toml", "~/.chibi/contexts", "~/.chibi/state.json"),
  // hookline's own
  ...of("{}", "~/.hookline/settings.json", ".hookline/settings.json"),
  { path: "~/.hookline/trust.json", text: "{}", onDemand: true },
  ...of('{"providers":{}}', "~/.hookline/models.json"),
  { path: "hookline.lock", text: '{"version":1,"entries":[]}', onDemand: true },
  ...of("", ".hookline", "~/.hookline/sessions", "~/.hookline/stats", "~/.hookline/cache", "~/.hookline/outputs"),
  ...of("", "~/.hookline/run", "~/.hookline/packages", "~/.hookline/recordings"),
  // texts
  ...of("Be kind.", "AGENTS.md", "CLAUDE.md", "~/.hookline/AGENTS.md"),
  ...of("Do it.", "~/.hookline/prompts/odd.md", ".hookline/prompts/odd.md"),
  ...of(RULE, "~/.hookline/rules/odd.md", ".hookline/rules/odd.md"),
  ...of(SKILL, "~/.hookline/skills/odd/SKILL.md", ".hookline/skills/odd/SKILL.md", ".hookline/skills/odd.md"),
  ...of('{"name":"odd","colors":{}}', "~/.hookline/themes/odd.json", ".hookline/themes/odd.json"),
  ...of(
    AGENT,
    "~/.hookline/agents/odd.md",
    ".hookline/agents/odd.md",
    "~/.claude/agents/odd.md",
    ".claude/agents/odd.md",
  ),
  ...of(AGENT, "~/.omp/agent/agents/odd.md", ".omp/agents/odd.md"),
  ...of("", "~/.hookline/agents", ".hookline/agents", "~/.claude/agents", ".claude/agents", ".omp/agents", ".claude"),
  ...of("", ".hookline/prompts", ".hookline/rules", ".hookline/skills", ".git", ".gitignore"),
];
