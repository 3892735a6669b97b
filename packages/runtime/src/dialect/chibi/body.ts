import type { BodyLack, Scene } from "../../hook/lane.ts";
import { chatBody, isHeld, isShown, type ViewedRequest } from "../../lens/chat.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The requests that bodies were made of. */
const requests = new WeakMap<Fields, ViewedRequest>();

/** A request as `pre_api_request` shows it. */
export function bodyOf(request: ViewedRequest): Fields {
  const body = chatBody(request);
  requests.set(body, request);
  return body;
}

/** What the model's provider lacks for the keys of a body that a plugin has answered, by key; keys with a place are left out. */
export function lackingIn(edited: Fields, body: Fields, scene: Scene): ReadonlyMap<string, BodyLack> {
  const found = new Map<string, BodyLack>();
  const request = requests.get(body);
  if (request === undefined || scene.lacks === undefined) return found;
  for (const [key, value] of Object.entries(edited)) {
    if (value === undefined || isShown(key, value, request)) continue;
    const lack = scene.lacks(key, value, isHeld(key, value, request));
    if (lack !== undefined) found.set(key, lack);
  }
  return found;
}
