import type { Tier } from "@hookline/ground";

/** A kind of sub-agent, as a Markdown file defines it. */
export interface AgentDefinition {
  readonly name: string;
  /** The description of when to call the sub-agent, for the model. */
  readonly description: string;
  /** The instructions of the sub-agent: the text below the fields. */
  readonly prompt: string;
  /** The only tools of the sub-agent, by hookline's names. Default: all tools of its parent. */
  readonly tools?: readonly string[];
  /** Tools that the sub-agent never has, by hookline's names. */
  readonly withoutTools?: readonly string[];
  /** The model as written in the file. Default: the parent's model. */
  readonly model?: string;
  readonly source: { readonly path: string; readonly tier: Tier };
}
