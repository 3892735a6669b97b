import { loopSettings, readSettings, SETTINGS } from "../../cli/settings.ts";
import { writeSetting } from "../../cli/write-setting.ts";
import type { Agent } from "../../loop/agent.ts";
import type { SettingItem, SettingsSource } from "./settings.ts";

/** The loop reads these at each step; everything else is read once, at the start. */
const LIVE = /^(feedbackCap|hookTurnCap|theme|todo\.remindersMax|(retry|compaction)\..*|ttsr\.(?!disabledRules).*)$/;

/** The settings of the place that an agent runs in; what acts at once is put into force. */
export function settingsOf(
  agent: Agent,
  place: { readonly hooklineHome: string; readonly cwd: string },
  useTheme: (name: string) => void,
): SettingsSource {
  const read = (): ReturnType<typeof readSettings> => readSettings(place.hooklineHome, place.cwd);
  return {
    items() {
      const { values, ofProject } = read();
      return Object.entries(SETTINGS).map(([key, { type, says, default: usual }]): SettingItem => {
        const value = values.get(key) ?? usual;
        const from = ofProject.has(key) ? "project" : values.has(key) ? "user" : "default";
        return { key, says, type, value, from, isLive: LIVE.test(key) };
      });
    },
    set(key, value) {
      writeSetting(place.hooklineHome, key, value);
      const settings = read();
      agent.useSettings(loopSettings(settings));
      if (key === "theme") useTheme(String(settings.values.get(key) ?? "dark"));
    },
  };
}
