import type { SourceReader } from "@hookline/runtime/past";
import { claudeSource } from "./claude/transcript.ts";
import { codexSource } from "./codex/transcript.ts";
import { sessionSource } from "./pi/transcript.ts";

/** The readers of agents' own sessions, in the order in which they are tried on a file. */
export const transcripts: readonly SourceReader[] = [codexSource, sessionSource, claudeSource];
