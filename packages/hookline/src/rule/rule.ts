import type { Tier } from "@hookline/runtime/internal";

/** When a rule that has matched stops the reply: at text of the model, at arguments of a call, at both, at neither. */
export type InterruptMode = "never" | "prose-only" | "tool-only" | "always";

/** A part of a reply that a rule looks at; a tool may be named, and the files that it is called for. */
export interface Scope {
  readonly part: "text" | "thinking" | "tool";
  readonly tool?: string;
  /** Whether the rule is for a file; absent where it is for all. */
  fits?(path: string): boolean;
}

/** A stream rule: a Markdown file whose text the model gets when its reply matches. Source: spec/omp.md 4.4. */
export interface Rule {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  readonly description?: string;
  readonly condition?: readonly string[];
  /** Not looked at; told to hooks as it was written. */
  readonly astCondition?: readonly string[];
  readonly question?: string;
  readonly scope?: readonly string[];
  readonly globs?: readonly string[];
  readonly alwaysApply?: boolean;
  readonly interruptMode?: InterruptMode;
  readonly tier: Tier;
}

/** A rule with its conditions made ready. */
export interface ReadyRule {
  readonly rule: Rule;
  readonly patterns: readonly RegExp[];
  readonly scopes: readonly Scope[];
}

/** What the settings say about stream rules. */
export interface RuleSettings {
  readonly enabled: boolean;
  /** Whether the part of a reply that was stopped stays in the conversation. */
  readonly contextMode: "discard" | "keep";
  readonly interruptMode: InterruptMode;
  readonly repeatMode: "once" | "after-gap";
  /** Messages after which a rule may match again. */
  readonly repeatGap: number;
  readonly disabledRules: readonly string[];
}

/** What holds where the settings say nothing. */
export const RULE_DEFAULTS: RuleSettings = {
  enabled: true,
  contextMode: "discard",
  interruptMode: "always",
  repeatMode: "once",
  repeatGap: 10,
  disabledRules: [],
};
