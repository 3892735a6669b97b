const waiting: (() => void)[] = [];
let isRunning = false;

/** Runs a job when those before it are done, each in a task of its own. Gives what takes it back. */
export function inTurn(job: () => void): () => void {
  waiting.push(job);
  if (!isRunning) next();
  return () => {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
  };
}

function next(): void {
  isRunning = waiting.length > 0;
  if (!isRunning) return;
  setTimeout(() => {
    waiting.shift()?.();
    next();
  }, 0);
}
