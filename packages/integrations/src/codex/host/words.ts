/**
 * Codex's answers are those of Claude Code, without `updatedToolOutput`. A field that it does not know, a refusal without
 * a reason, `ask`, an `allow` without new arguments and every exit code but 0 make it ignore the hook and go on, so
 * nothing else is ever written.
 *
 * Source: spec/hosts/codex (pre-extra-field, pre-deny-noreason, pre-ask, pre-allow, pre-exit1).
 */
export { type ClaudeWords as Words, inClaudeWords as inWords } from "@hookline/bridge/kit";
