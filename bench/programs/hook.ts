/** The hook that is measured: reads its event by `cat`, as nearly every shell hook does, and has nothing to say. */
export const COMMAND = "event=$(cat); echo '{}'";

/** The least that a hook can do: no program besides the shell. */
export const BARE_COMMAND = "read -r event; echo '{}'";

/** The event of a small tool call, as one line. */
export const PAYLOAD = `${JSON.stringify({
  event: "pre_tool_execution",
  cwd: "/project",
  tool_name: "Bash",
  tool_arguments: JSON.stringify({ command: "ls -la src" }),
})}\n`;
