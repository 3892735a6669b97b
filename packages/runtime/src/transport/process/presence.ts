import { ownListener } from "@hookline/ground/system";

/** Groups to end with this process, if it exits in an orderly way before they do. */
const groups = new Set<number>();

/**
 * Ties a process group to the host's life; returns the undo. A host that calls `process.exit` during a hook has time
 * only for one last signal.
 */
export function endWithHost(leader: number): () => void {
  if (groups.size === 0) process.on("exit", ownListener(endGroups));
  groups.add(leader);
  return () => {
    groups.delete(leader);
    if (groups.size === 0) process.off("exit", endGroups);
  };
}

/** Keeps the event loop alive, so that a host never ends before an answer; returns the undo. */
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
