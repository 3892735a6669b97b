import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";

/** An omp hook as it is: nothing is published or pushed by an agent. */
export default function deploy(pi: HookAPI) {
  pi.on("tool_call", async (event) => {
    const command = String(event.input["command"] ?? "");
    if (/\b(npm publish|git push)\b/.test(command)) return { block: true, reason: "Releases are made by people." };
    return undefined;
  });
}
