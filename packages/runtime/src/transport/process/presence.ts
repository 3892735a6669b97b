import { ownListener } from "@hookline/ground/system";

/** The process groups to end if this process exits in an orderly way before they do. */
const groups = new Set<number>();

/**
 * Ends a process group when the host exits, until the returned function is called. A host that calls `process.exit`
 * during a hook only has time for one last signal.
 */
export function endWithHost(leader: number): () => void {
  if (groups.size === 0) process.on("exit", ownListener(endGroups));
  groups.add(leader);
  return () => {
    groups.delete(leader);
    if (groups.size === 0) process.off("exit", endGroups);
  };
}

/** Keeps the event loop alive until the returned function is called, so that a host never exits before an answer. */
export function keepAwake(): () => void {
  const timer = setInterval(() => {}, 2 ** 30);
  return () => clearInterval(timer);
}

function endGroups(): void {
  for (const leader of groups) {
    try {
      process.kill(-leader, "SIGKILL");
    } catch {
      // The group has already ended.
    }
  }
}
