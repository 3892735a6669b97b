import type { Dialect } from "@hookline/runtime/dialect";
import { about } from "../about.ts";
import { hostToolOf } from "./calls.ts";
import { discover } from "./config.ts";
import { isDefinition, isRuleSet } from "./definition.ts";
import { rows } from "./events.ts";
import { registerRules } from "./rule-guard.ts";
import { register } from "./run.ts";
import { CLAUDE_TEXTS } from "./size-limits.ts";
import { isFirstUse, watchSkill } from "./skill-gate.ts";

/** Runs the hooks in Claude Code's settings files unmodified. Source: spec/claude.md. */
export const claude: Dialect = {
  id: "claude",
  about,
  lanes: [{ id: "claude", rows, isolate: false, live: false, texts: CLAUDE_TEXTS }],
  toolOf: hostToolOf,
  discover,
  async load({ definition, source, files, filter }, instance, around) {
    if (isRuleSet(definition)) await registerRules(definition, instance, around, source);
    else if (isFirstUse(definition)) watchSkill(definition, instance, around);
    else if (isDefinition(definition))
      await register(definition, instance, { around, source, scripts: files.slice(1), filter });
    else throw new Error("there is no hook in this definition; run the discovery again");
  },
};
