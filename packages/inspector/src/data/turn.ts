const waiting: (() => void)[] = [];
let isRunning = false;

/**
 * Queues a job. Jobs run one after the other, each in a separate task. Returns a function that removes the job if it
 * has not run yet.
 */
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
