import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

/** Refuses to delete from the root of the file system. */
export default function noRootDelete(omp: HookAPI): void {
  omp.on("tool_call", (event) => {
    if (event.toolName !== "bash") return undefined;
    const command = String(event.input["command"] ?? "");
    if (!/\brm\s+(-\w+\s+)*-\w*r\w*f?\w*\s+\//.test(command)) return undefined;
    return { block: true, reason: "This project does not allow deleting from the root folder." };
  });
}
