/** What a context adds to the system prompt. */
export interface ContextTexts {
  /** What the person is called, where that is known. */
  readonly username?: string | undefined;
  readonly goals: string;
  readonly todos: string;
  readonly reflection: string;
}

/**
 * The parts of the system prompt behind its base, in chibi's order. The summary is none of them: it stands at the head
 * of the conversation that is sent. Source: spec/chibi.md 3.
 */
export function contextSections({ username = "user", goals, todos, reflection }: ContextTexts): string[] {
  const sections: string[] = [];
  if (username !== "user") sections.push(`The user speaking to you is called: ${username}`);
  if (goals.trim() !== "") sections.push(`--- CURRENT GOALS ---\n${goals}`);
  if (todos.trim() !== "") sections.push(`--- CURRENT TODOS ---\n${todos}`);
  if (reflection.trim() !== "") sections.push(reflection);
  return sections;
}
