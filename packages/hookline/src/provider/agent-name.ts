import { VERSION } from "../io/version.ts";

/** The agent's name in requests to providers. */
export const AGENT = `hookline/${VERSION}`;
