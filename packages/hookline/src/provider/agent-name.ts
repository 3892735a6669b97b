import { VERSION } from "../io/version.ts";

/** What the agent calls itself in requests to providers. */
export const AGENT = `hookline/${VERSION}`;
