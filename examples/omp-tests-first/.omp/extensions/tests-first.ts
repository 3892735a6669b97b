import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";

/** The agent may not stop while the project's check fails. */
export default function testsFirst(pi: ExtensionAPI) {
  pi.on("session_stop", async () => {
    const { code, stdout } = await pi.exec("sh", ["check.sh"]);
    if (code === 0) return undefined;
    return { decision: "block", reason: `The check fails, so you are not done:\n${stdout}` };
  });
}
