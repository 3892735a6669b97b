/** The measured hook: reads its event with `cat`, as nearly every shell hook does, and says nothing. */
export const COMMAND = "event=$(cat); echo '{}'";

/** The least that a hook can do: no program besides the shell. */
export const BARE_COMMAND = "read -r event; echo '{}'";

/** The event of a small tool call, on one line. */
export const PAYLOAD = `${JSON.stringify({
  event: "pre_tool_execution",
  cwd: "/project",
  tool_name: "Bash",
  tool_arguments: JSON.stringify({ command: "ls -la src" }),
})}\n`;
