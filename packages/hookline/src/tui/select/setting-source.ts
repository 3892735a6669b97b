import type { Agent } from "../../agent/agent.ts";
import { loopSettings } from "../../settings/parts.ts";
import { SETTINGS } from "../../settings/rows.ts";
import { readSettings, settingOf } from "../../settings/settings.ts";
import { writeSetting } from "../../settings/write.ts";
import type { SettingItem, SettingsSource } from "./settings.ts";

/** The loop reads these at each step; everything else is read once, at the start. */
const LIVE = /^(feedbackCap|hookTurnCap|theme|todo\.remindersMax|(retry|compaction)\..*|ttsr\.(?!disabledRules).*)$/;

/** The settings of an agent's place; settings that take effect at once are applied. */
export function settingsOf(
  agent: Agent,
  place: { readonly hooklineHome: string; readonly cwd: string },
  useTheme: (name: string) => void,
): SettingsSource {
  const read = (): ReturnType<typeof readSettings> => readSettings(place.hooklineHome, place.cwd);
  return {
    items() {
      const settings = read();
      return Object.entries(SETTINGS).map(([key, { type, says }]): SettingItem => {
        const { value, from } = settingOf(settings, key);
        return { key, says, type, value, from, isLive: LIVE.test(key) };
      });
    },
    set(key, value) {
      writeSetting(place.hooklineHome, key, value);
      const settings = read();
      agent.useSettings(loopSettings(settings));
      if (key === "theme") useTheme(String(settings.user.get(key) ?? "dark"));
    },
  };
}
