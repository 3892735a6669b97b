/**
 * Guards that judge what a call would lose or show, or whether a project still passes its checks. Each function returns
 * guards for `session.on` of `@hookline/runtime`, or for a file of guards; `checkpoints` restores what `undo` keeps.
 */

export { commands, paths } from "./commands/guard.ts";
export { secrets } from "./secrets/guard.ts";
export type { GuardSession, GuardValues } from "./session.ts";
export type { GuardName, SettingsOf } from "./settings.ts";
export { type BroughtBack, type Checkpoint, type Checkpoints, checkpoints } from "./undo/checkpoints.ts";
export { undo } from "./undo/guard.ts";
export type { RestoreOptions } from "./undo/undo.ts";
export { verify } from "./verify/guard.ts";
