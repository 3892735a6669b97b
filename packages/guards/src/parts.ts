/** Parts of the guards that other packages of this repository use. The published package does not have them. */

import { checkpoints, commands, paths, secrets, undo, verify } from "./index.ts";
import type { GuardSession } from "./session.ts";

export type { Effect } from "./commands/effect.ts";
export { placeOf } from "./commands/guard.ts";
export { type CommandVerdict, judge } from "./commands/judge.ts";
export { openSecrets } from "./secrets/project.ts";
export { type Finding, redact, SecretNames } from "./secrets/redact.ts";
export type { Refusal } from "./secrets/secrets.ts";
export { settingsIn } from "./session.ts";
export { type UndoOffer, undoCommand, undoOffers } from "./undo/command.ts";

/** Returns the package's guard functions, such as `commands`, each bound to a session's place and settings. */
export function guardsIn(session: GuardSession) {
  return {
    checkpoints: (settings?: Parameters<typeof checkpoints>[0]) => checkpoints(settings, session),
    commands: (settings?: Parameters<typeof commands>[0]) => commands(settings, session),
    paths: (settings?: Parameters<typeof paths>[0]) => paths(settings, session),
    secrets: (settings?: Parameters<typeof secrets>[0]) => secrets(settings, session),
    undo: (settings?: Parameters<typeof undo>[0]) => undo(settings, session),
    verify: (settings?: Parameters<typeof verify>[0]) => verify(settings, session),
  };
}
