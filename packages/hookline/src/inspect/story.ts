import { type Fields, isFields } from "@hookline/ground";
import { catalog } from "@hookline/runtime/engine";
import { actsOf } from "./acts.ts";
import type { HookAct, StoryStep } from "./api.ts";
import { contentTexts } from "./authors.ts";
import { bytesOf, whole } from "./cut.ts";
import { labelOf } from "./label.ts";
import type { FullMoment } from "./moment-file.ts";
import type { MomentIndex } from "./moment-index.ts";
import { STEP_KINDS } from "./steps.ts";

const TEXT_CHARS = 4000;
const RESULT_CHARS = 2000;
/** `ALL_EDITS` limits the bytes of all edits in a window together, `ONE_EDIT` those of a single edit. */
const ALL_EDITS = 1 << 20;
const ONE_EDIT = 1 << 15;

/** Returns steps by their numbers. Moments that can no longer be read have no text. */
export function storyOf(index: MomentIndex, steps: readonly number[]): StoryStep[] {
  const seen = new Map<string, string>();
  let left = ALL_EDITS;
  return steps.map((step) => {
    const told = stepOf(index, step);
    const acts = told.acts.map((act): HookAct => {
      const key = `${act.hook} ${act.event}`;
      const said = JSON.stringify([act.says, act.why, act.edits]);
      const isAgain = seen.get(key) === said;
      seen.set(key, said);
      if (isAgain) return { ...act, edits: [], again: true };
      return {
        ...act,
        edits: act.edits.map((edit) => {
          const bytes = bytesOf([edit.from, edit.to]);
          if (bytes > Math.min(left, ONE_EDIT)) return { at: edit.at, field: edit.field, bytes };
          left -= bytes;
          return edit;
        }),
      };
    });
    return { ...told, acts };
  });
}

function stepOf(index: MomentIndex, step: number): StoryStep {
  const { rows } = index.steps;
  const moments = index.steps.momentsOf(step).flatMap((n) => {
    try {
      return [{ n, item: index.item(n), moment: index.moment(n) }];
    } catch {
      return [];
    }
  });
  const kind = STEP_KINDS[rows.get("kind", step - 1)] as StoryStep["kind"];
  const { n, t, event, agent, tool } = index.item(rows.get("first", step - 1));
  const at = (name: string) => moments.find(({ moment }) => moment.event === name);
  const acts = moments.flatMap(({ n: at, moment }) => actsOf(at, moment));
  const request = kind === "reply" ? (at("model.context") ?? at("model.request"))?.n : undefined;
  const [before, after] = [at("tool.before")?.moment, at("tool.after")?.moment];
  const isRefused = before?.outcome["decision"] === "deny" || before?.asked?.answer === "deny";
  const text = textOf(
    kind,
    event,
    kind === "reply" ? (at("reply.before") ?? at("model.response"))?.moment : (before ?? moments[0]?.moment),
  );
  const result = isRefused || after === undefined ? undefined : resultOf(after);
  return {
    n,
    t,
    kind,
    event,
    ...(agent !== undefined && { agent }),
    ...(kind === "call" && tool !== undefined && { tool }),
    ...cutText(text, TEXT_CHARS),
    ...(result !== undefined && { result }),
    ...(isRefused && { isRefused }),
    ...(request !== undefined && { request }),
    acts,
  };
}

function textOf(kind: StoryStep["kind"], event: string, moment: FullMoment | undefined): string {
  if (kind === "moment") return catalog.get(event)?.fires ?? "";
  if (moment === undefined) return "";
  if (kind === "call") return labelOf(moment);
  const text = moment.outcome["text"] ?? (moment.payload as Fields | undefined)?.["text"];
  return typeof text === "string" ? text : "";
}

function resultOf({ payload, outcome }: FullMoment): StoryStep["result"] {
  if (!isFields(payload)) return undefined;
  const text = contentTexts(outcome["content"] ?? payload["content"] ?? payload["result"]).join("\n");
  return { ...cutText(text, RESULT_CHARS), isError: (outcome["isError"] ?? payload["isError"]) === true };
}

function cutText(text: string, most: number): { readonly text: string; readonly of?: number } {
  return text.length <= most ? { text } : { text: whole(text, most), of: text.length };
}
