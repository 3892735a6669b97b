import { ownListener } from "../../port/listener.ts";

/** Groups that end with this process, if it ends in order before they do. */
const groups = new Set<number>();

/**
 * Ties a process group to the life of the host; returns the undo.
 * A host that calls `process.exit` in the middle of a hook has no time left for more than a last signal.
 */
export function endWithHost(leader: number): () => void {
  if (groups.size === 0) process.on("exit", ownListener(endGroups));
  groups.add(leader);
  return () => {
    groups.delete(leader);
    if (groups.size === 0) process.off("exit", endGroups);
  };
}

/** Keeps the event loop from running empty, so that a host never ends with an answer outstanding; returns the undo. */
export function keepAwake(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

function endGroups(): void {
  for (const leader of groups) {
    try {
      process.kill(-leader, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
