/** The system prompt for summaries. */
export const SUMMARY_SYSTEM =
  "You write summaries of conversations between a person and a coding assistant. You read the conversation that you are given and write the summary that is asked for, and nothing else. You do not continue the conversation, answer its questions or call tools.";

const SECTIONS = `## Goal
What the person wants to have done; several items where there are several.

## Constraints and preferences
Rules, requirements and wishes that were stated, or "none".

## Progress
### Done
What has been finished.
### In progress
What has been begun.
### Blocked
What is in the way, or "nothing".

## Decisions
Each decision with its reason in a few words.

## Next steps
In order.

## Facts to keep
Exact file paths, names of functions, commands and texts of errors that the work needs.`;

/** Asks for a first summary. */
export const SUMMARISE = `Write a summary of the conversation above, from which another model can go on with the work. Use these headings:

${SECTIONS}

Be brief. Keep file paths, names and error texts exactly.`;

/** Asks for a summary that continues the last one. */
export const SUMMARISE_AGAIN = `The conversation above goes on from the one in <previous-summary>. Write one summary of both, from which another model can go on with the work. Keep what still holds, move what is finished to "Done", and drop what no longer matters. Use these headings:

${SECTIONS}

Be brief. Keep file paths, names and error texts exactly.`;

/** Asks for a summary of the first part of a turn whose end is kept. */
export const SUMMARISE_TURN = `The conversation above is the beginning of a turn; its later messages are kept as they are and are not shown here. Write down what is needed to understand them:

## What was asked
## What was done so far
## What the later messages need to know

Say only what is in the conversation above.`;

/** Asks for a summary of a branch that is being left. */
export const SUMMARISE_BRANCH = `The conversation above is a branch that is being left for another one. Write a summary of it, so that what was learnt is not lost. Use these headings:

${SECTIONS}

Be brief. Keep file paths, names and error texts exactly.`;

/** The text before the summary of a branch. */
export const BRANCH_PREAMBLE =
  "The person tried another branch of this conversation before coming back here. Summary of that branch:\n\n";

/** Returns the note that replaces an old tool result. Source: spec/jcli.md 5. */
export function foldedText(tool: string): string {
  return `[Previous: used ${tool}]`;
}
