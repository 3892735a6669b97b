/** A fleet's remote hooks, as an agent asks them, and the spool of what the agent decides. */
export { fleetDialect } from "./lane/dialect.ts";
export { CountedLink } from "./link/counted.ts";
export { membership } from "./place/joined.ts";
export { type Decisions, openDecisions } from "./spool/decisions.ts";
