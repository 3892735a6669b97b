import type { ContextFile } from "../prompt/context-files.ts";
import type { PromptTemplate } from "../prompt/template.ts";
import type { ReadyRule } from "../rule/rule.ts";
import type { Skill } from "../skill/skill.ts";
import type { AgentDefinition } from "../subagent/definition.ts";
import type { ThemeFile } from "../theme/theme.ts";

/** The contents of files that the agent uses, such as instructions, skills, stream rules and themes. */
export interface Resources {
  readonly contextFiles: readonly ContextFile[];
  readonly skills: readonly Skill[];
  readonly templates: readonly PromptTemplate[];
  readonly rules: readonly ReadyRule[];
  readonly agents: readonly AgentDefinition[];
  readonly themes: readonly ThemeFile[];
}

/** The resources before any file has been read. */
export const NO_RESOURCES: Resources = {
  contextFiles: [],
  skills: [],
  templates: [],
  rules: [],
  agents: [],
  themes: [],
};
