import type { Tier } from "@hookline/ground";

/** Says where a rule's match stops the reply: nowhere, in text and thoughts, in a call, or anywhere. */
export type InterruptMode = "never" | "prose-only" | "tool-only" | "always";

/** A part of a reply that a rule checks, possibly only for one tool and for some of its files. */
export interface Scope {
  readonly part: "text" | "thinking" | "tool";
  readonly tool?: string;
  /** Returns whether the rule applies to a file; absent if it applies to all files. */
  fits?(path: string): boolean;
}

/** A stream rule: a Markdown file whose text the model gets when its reply matches. Source: spec/omp.md 4.4. */
export interface Rule {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  readonly description?: string;
  readonly condition?: readonly string[];
  /** Conditions on syntax trees. They are not evaluated, only passed to hooks as written. */
  readonly astCondition?: readonly string[];
  readonly question?: string;
  readonly scope?: readonly string[];
  readonly globs?: readonly string[];
  readonly alwaysApply?: boolean;
  readonly interruptMode?: InterruptMode;
  readonly tier: Tier;
}

/** A stream rule with its conditions as regular expressions, and its parsed scopes. */
export interface ReadyRule {
  readonly rule: Rule;
  readonly patterns: readonly RegExp[];
  readonly scopes: readonly Scope[];
}

/** Says which stream rules are used, when they stop a reply, and how often they match. */
export interface RuleSettings {
  readonly enabled: boolean;
  /** Whether the stopped part of a reply stays in the conversation. */
  readonly contextMode: "discard" | "keep";
  readonly interruptMode: InterruptMode;
  readonly repeatMode: "once" | "after-gap";
  /** Number of messages after which a rule may match again. */
  readonly repeatGap: number;
  readonly disabledRules: readonly string[];
}

/** The default settings of stream rules. */
export const RULE_DEFAULTS: RuleSettings = {
  enabled: true,
  contextMode: "discard",
  interruptMode: "always",
  repeatMode: "once",
  repeatGap: 10,
  disabledRules: [],
};
