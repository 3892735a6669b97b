import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

/** Refuses commits on the main branch. */
export default function protectMain(pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    if (event.toolName !== "bash" || !/\bgit\b.*\bcommit\b/.test(String(event.input.command))) return undefined;
    const { stdout } = await pi.exec("git", ["branch", "--show-current"]);
    if (stdout.trim() !== "main") return undefined;
    return { block: true, reason: "Do not commit on main. Make a branch first: git switch -c NAME" };
  });
}
