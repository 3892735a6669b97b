import type { ExtensionAPI } from "@oh-my-pi/pi-coding-agent";

/** Keeps the agent from stopping while the project's tests fail. */
export default function testsFirst(pi: ExtensionAPI) {
  pi.on("session_stop", async () => {
    const { code, stdout } = await pi.exec("node", ["--test"]);
    if (code === 0) return undefined;
    return { decision: "block", reason: `The tests fail, so you are not done:\n${stdout}` };
  });
}
