/** Removes from a captured screen what differs between runs: times of day, durations, bars, folders, ids. */
export function steadyScreen(screen: string): string {
  return screen
    .replace(/\d\d:\d\d:\d\d/g, "")
    .replace(/<?\d+(\.\d+)? m?s\b/g, "")
    .replace(/\S*hookline-desk-\w+\/(project|home)/g, "/$1")
    .replace(/--resume [0-9a-f-]+\n?[0-9a-f]*/g, "--resume ID")
    .replace(/[ ▇─]+/g, " ")
    .replace(/ +$/gm, "");
}
