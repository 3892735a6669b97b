import { relative } from "node:path";
import { ApprovedTexts } from "../../consent/approved-texts.ts";
import { hooklineAbove } from "../../consent/started-by.ts";
import { secretRedactor } from "../../provider/secrets.ts";
import { openReview } from "../../start/review.ts";
import { consentDialog } from "../../tui/panel/trust-dialog.ts";
import { trustSource } from "../../tui/panel/trust-source.ts";
import type { Stage } from "../../tui/stage.ts";
import type { ModeRun } from "../open.ts";

/** Asks for approval of what this project would run, showing all of it, before any of it is loaded. */
export async function askConsent({ args, io }: ModeRun, stage: Stage): Promise<void> {
  const decided = ["frozen", "trust-project", "no-hooks"].some((flag) => args.flags[flag] === true);
  // A program that a hook has started is not a person.
  if (decided) return;
  const redact = secretRedactor(io.env);
  const quiet = { ...io, err: (text: string) => stage.note(redact(text.trim()), "warning") };
  const { runtime, session, place, store } = await openReview(args, quiet);
  const { cwd, hooklineHome } = place;
  try {
    if (hooklineAbove(hooklineHome, io.env) !== undefined) return;
    const texts = new ApprovedTexts(hooklineHome);
    const trust = trustSource({ hooks: session, store, texts, cwd, refusal: undefined, reload: async () => {} });
    const sheets = await trust.sheets();
    if (sheets.every(({ verdict }) => verdict === "approved")) return;
    const path = (path: string): string => (path.startsWith(cwd) ? relative(cwd, path) : path);
    await stage.dialogs.show(consentDialog({ sheets, together: trust.together, path }));
  } finally {
    await runtime.close();
  }
}
