/**
 * Guards that judge what would be lost or shown, or whether a project still passes its checks, each a function that
 * returns the guards for a file or a session.
 */

import { commands, paths } from "./commands/guard.ts";
import { secrets } from "./secrets/guard.ts";
import type { GuardSession } from "./session.ts";
import { undo } from "./undo/guard.ts";
import { verify } from "./verify/guard.ts";

export type { Effect } from "./commands/effect.ts";
export { placeOf } from "./commands/guard.ts";
export { judge, type Place, type Verdict } from "./commands/judge.ts";
export type { Loss } from "./commands/loss.ts";
export { type Coverage, type CoveredCall, coverageOf, type Lost, offerCoverage } from "./cover.ts";
export { openSecrets } from "./secrets/project.ts";
export type { Finding, Redaction } from "./secrets/redact.ts";
export { loadSecrets, type Refusal, type SearchOptions, Secrets, type SecretsOptions } from "./secrets/secrets.ts";
export { type GuardSession, type GuardValues, settingsIn } from "./session.ts";
export type { GuardName, SettingsOf } from "./settings.ts";

export { type UndoOffer, undoCommand, undoOffers } from "./undo/command.ts";
export { commands, paths, secrets, undo, verify };

/** The guards of a session: the functions above with its place and its settings. */
export function guardsIn(session: GuardSession) {
  return {
    commands: (settings?: Parameters<typeof commands>[0]) => commands(settings, session),
    paths: (settings?: Parameters<typeof paths>[0]) => paths(settings, session),
    secrets: (settings?: Parameters<typeof secrets>[0]) => secrets(settings, session),
    undo: (settings?: Parameters<typeof undo>[0]) => undo(settings, session),
    verify: (settings?: Parameters<typeof verify>[0]) => verify(settings, session),
  };
}
