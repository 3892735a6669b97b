/** A skill as the system prompt lists it. */
export interface PromptSkill {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly baseDir: string;
  /** Whether only the person may call the skill, not the model. */
  readonly disableModelInvocation: boolean;
}

/** The parts of a system prompt. The names are pi's. Source: spec/pi.md 1.2, "before_agent_start". */
export interface PromptOptions {
  /** Replaces the agent's own introduction, tools and guidelines. */
  readonly customPrompt?: string;
  readonly selectedTools: readonly string[];
  /** One line of description for each tool, by the tool's name. */
  readonly toolSnippets: Readonly<Record<string, string>>;
  readonly toolGuidelines: Readonly<Record<string, readonly string[]>>;
  readonly promptGuidelines: readonly string[];
  readonly appendSystemPrompt: string;
  /** Further parts by name; each is written between tags of that name. */
  readonly sections: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly contextFiles: readonly { readonly path: string; readonly content: string }[];
  readonly skills: readonly PromptSkill[];
}

/** A system prompt before it is put together. */
export interface PromptParts {
  readonly options: PromptOptions;
  /** Builds the prompt from options that hooks may have changed; throws if that is impossible. */
  render(options: PromptOptions): string;
}
