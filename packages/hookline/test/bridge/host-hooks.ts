import type { Session } from "@hookline/runtime";
import type { HostHooks } from "../../src/bridge/host.ts";

/** The hooks of a session as a host's events ask them, with a cap of five. */
export function hooksOf(session: Session): HostHooks {
  let sent = 0;
  return {
    cwd: "/",
    emit: async (event, payload) => {
      if (event === "prompt.before") sent = 0;
      return session.emit(event, payload);
    },
    listens: (event) => session.listens(event),
    async stop(payload) {
      const { answer } = await session.emit("agent.stop", payload);
      return answer.feedback === undefined || ++sent > 5 ? undefined : answer.feedback.join("\n\n");
    },
    notices: () => [],
    memory: new Map(),
  };
}
