import { createRedactor } from "@hookline/runtime";
import { ApprovedTexts } from "../../cli/approved-texts.ts";
import { reviewText } from "../../cli/review-text.ts";
import { openReview } from "../../cli/trust.ts";
import { remember } from "../../cli/trust-approve.ts";
import { currentTheme } from "../../compat/theme/current.ts";
import { choosing } from "../../tui/dialog/questions.ts";
import type { Stage } from "../../tui/stage.ts";
import type { ModeRun } from "../open.ts";

const APPROVE = "Let them run, now and whenever hookline is used here";
const LATER = "Not now: nothing of it runs";

/** Asks for consent to what this project would run, showing exactly that, before anything of it is loaded. */
export async function askConsent({ args, io }: ModeRun, stage: Stage): Promise<void> {
  const decided = ["frozen", "trust-project", "no-hooks"].some((flag) => args.flags[flag] === true);
  // A program that a hook has started is no person.
  if (decided || io.env["HOOKLINE_RUN_ID"] !== undefined) return;
  const redact = createRedactor(io.env);
  const quiet = { ...io, err: (text: string) => stage.note(redact(text.trim()), "warning") };
  const { runtime, session, place, store } = await openReview(args, quiet);
  try {
    const reviews = await session.review();
    const fresh = reviews.filter(({ verdict }) => verdict !== "approved");
    if (fresh.length === 0) return;
    const texts = new ApprovedTexts(place.hooklineHome);
    const approvals = store.list();
    const message = fresh.map((review) => reviewText(review, approvals, texts, place.cwd).trimEnd()).join("\n\n");
    const title =
      fresh.length === 1
        ? "This project brings a hook that nobody has approved as it is. It would run this:"
        : `This project brings ${fresh.length} hooks that nobody has approved as they are. They would run this:`;
    const around = { tui: stage.screen, theme: currentTheme };
    const answer = await stage.dialogs.ask(choosing(title, [LATER, APPROVE], around, message));
    if (answer === APPROVE) remember(fresh, store, texts);
  } finally {
    await runtime.close();
  }
}
