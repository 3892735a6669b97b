/**
 * How a dialect sees a payload (`get`), and how its outcome is applied to the payload (`put`).
 *
 * Laws: an event that is returned unchanged is no edit and keeps object identity; `put` drops no block or field that
 * `get` does not show; `get` shows what `put` wrote. `put` returns `undefined` if the outcome changes nothing.
 */
export interface Lens<Payload, Event, Outcome, Edit, Scene = unknown> {
  get(payload: Payload, scene: Scene): Event;
  put(outcome: Outcome, payload: Payload, scene: Scene): Edit | undefined;
}
