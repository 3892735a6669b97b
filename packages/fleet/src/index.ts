/** A fleet's remote hooks, as an agent asks them. */
export { fleetDialect } from "./lane/dialect.ts";
export { membership } from "./place/joined.ts";
