import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

/** An unmodified omp hook: the agent may not publish or push anything. */
export default function deploy(pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    const command = String(event.input["command"] ?? "");
    if (/\b(npm publish|git push)\b/.test(command)) return { block: true, reason: "Releases are made by people." };
    return undefined;
  });
}
