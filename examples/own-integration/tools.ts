import { callLens } from "@hookline/runtime/dialect";

/**
 * Acme's tools, by hookline's names. Its hooks are shown calls in Acme's names, and hooks of every other agent are shown
 * Acme's calls in theirs: both read this table and nothing else.
 */
export const acmeTools = callLens({
  bash: { name: "shell", args: { command: "line" } },
  read: { name: "open_file", args: { path: "file" } },
  write: { name: "save_file", args: { path: "file", content: "text" } },
});
