import { VERSION } from "@hookline/ground";

/** The agent's name in requests to providers. */
export const AGENT = `hookline/${VERSION}`;
