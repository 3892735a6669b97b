import type { Tier } from "@hookline/ground";

/** A kind of sub-agent, as a Markdown file defines it. */
export interface AgentDefinition {
  readonly name: string;
  /** When to call it; shown to the model. */
  readonly description: string;
  /** The child's instructions: the text below the fields. */
  readonly prompt: string;
  /** The host's names of the only tools that it may have; absent: all of its parent's. */
  readonly tools?: readonly string[];
  /** The host's names of tools that it never has. */
  readonly withoutTools?: readonly string[];
  /** As written in the file, for `modelFor`; absent: its parent's. */
  readonly model?: string;
  readonly source: { readonly path: string; readonly tier: Tier };
}
