import { isOf } from "../../in-process/pure.ts";

/**
 * `isBashToolResult` and its like: one for each of pi's built-in tools, and one for the shell that pi has on Windows.
 * hookline's own tools have the same names and arguments as pi's, so nothing is renamed either way.
 *
 * Source: spec/pi.md 4.
 */
export const toolResultGuards = {
  isReadToolResult: isOf("read"),
  isBashToolResult: isOf("bash"),
  isEditToolResult: isOf("edit"),
  isWriteToolResult: isOf("write"),
  isGrepToolResult: isOf("grep"),
  isFindToolResult: isOf("find"),
  isLsToolResult: isOf("ls"),
  isPowerShellToolResult: isOf("powershell"),
};
