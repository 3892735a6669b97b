/** What a context adds to the system prompt. */
export interface ContextTexts {
  /** The person's name, if known. */
  readonly username?: string | undefined;
  readonly goals: string;
  readonly todos: string;
  readonly reflection: string;
}

/**
 * The parts of the system prompt after its base, in chibi's order. The summary is not one of them: it is at the head of
 * the conversation. Source: spec/chibi.md 3.
 */
export function contextSections({ username = "user", goals, todos, reflection }: ContextTexts): string[] {
  const sections: string[] = [];
  if (username !== "user") sections.push(`The user speaking to you is called: ${username}`);
  if (goals.trim() !== "") sections.push(`--- CURRENT GOALS ---\n${goals}`);
  if (todos.trim() !== "") sections.push(`--- CURRENT TODOS ---\n${todos}`);
  if (reflection.trim() !== "") sections.push(reflection);
  return sections;
}
