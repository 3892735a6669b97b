/** The hook that is measured: takes its event, answers nothing, starts no further program. */
export const COMMAND = "read -r line; echo '{}'";

/** The event of a small tool call, as one line. */
export const PAYLOAD = `${JSON.stringify({
  event: "pre_tool_execution",
  cwd: "/project",
  tool_name: "Bash",
  tool_arguments: JSON.stringify({ command: "ls -la src" }),
})}\n`;
