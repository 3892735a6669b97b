/**
 * Writes answers for Codex: Claude Code's format without `updatedToolOutput`. Codex ignores a hook that answers with an
 * unknown field, a refusal without a reason, `ask`, or `allow` without new arguments, or that ends with an exit code
 * other than 0. None of these is ever written.
 *
 * Source: spec/hosts/codex (pre-extra-field, pre-deny-noreason, pre-ask, pre-allow, pre-exit1).
 */
export { type ClaudeWords as Words, inClaudeWords as inWords } from "@hookline/bridge/kit";
