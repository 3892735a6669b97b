import { isOf } from "../../in-process/pure.ts";

/**
 * The type guards that pi's package exports for results of its tools: one for each built-in tool, and one for its shell
 * on Windows. hookline's own tools have the same names and arguments as pi's, so nothing needs translation.
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
