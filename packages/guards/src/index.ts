/**
 * Guards that judge what would be lost or shown, or whether a project still passes its checks. Each is a function that
 * returns guards for `session.on` of `@hookline/runtime`, or for a file of guards; `checkpoints` brings back what `undo` keeps.
 */

export { commands, paths } from "./commands/guard.ts";
export { secrets } from "./secrets/guard.ts";
export type { GuardSession, GuardValues } from "./session.ts";
export type { GuardName, SettingsOf } from "./settings.ts";
export { type BroughtBack, type Checkpoint, type Checkpoints, checkpoints } from "./undo/checkpoints.ts";
export { undo } from "./undo/guard.ts";
export type { RestoreOptions } from "./undo/undo.ts";
export { verify } from "./verify/guard.ts";
