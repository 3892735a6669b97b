/** The measured hook: reads its event with `cat`, like nearly every shell hook, and answers nothing. */
export const COMMAND = "event=$(cat); echo '{}'";

/** A minimal hook: it starts no program besides the shell. */
export const BARE_COMMAND = "read -r event; echo '{}'";

/** The event of a small tool call, on one line. */
export const PAYLOAD = `${JSON.stringify({
  event: "pre_tool_execution",
  cwd: "/project",
  tool_name: "Bash",
  tool_arguments: JSON.stringify({ command: "ls -la src" }),
})}\n`;
