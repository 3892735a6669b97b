/**
 * What the bundled clients find in the place of Node's globals of the same names (`inject` in scripts/build.ts): `fetch`
 * stays at the origin to which it sends a key, and neither of the others loads Node's second HTTP client.
 */
export { WireHeaders as Headers } from "./headers.ts";
export { fetchAtOrigin as fetch } from "./origin.ts";

/** Node's own, loaded when somebody makes one and not when a client asks whether a text is one. */
export const FormData: unknown = new Proxy(function Forms() {}, {
  construct: () => new globalThis.FormData(),
  get: (_, name) =>
    name === Symbol.hasInstance
      ? (value: unknown) => Object.prototype.toString.call(value) === "[object FormData]"
      : Reflect.get(globalThis.FormData, name),
});
