/**
 * Replacements for Node's globals of the same names in the bundled clients (`inject` in scripts/build.ts): `fetch`
 * stays at the origin to which it sends a key, and the others do not load Node's second HTTP client.
 */
export { WireHeaders as Headers } from "./headers.ts";
export { fetchAtOrigin as fetch } from "./origin.ts";

/** Node's own `FormData`, which is loaded when one is created, not when a client only tests for one. */
export const FormData: unknown = new Proxy(function Forms() {}, {
  construct: () => new globalThis.FormData(),
  get: (_, name) =>
    name === Symbol.hasInstance
      ? (value: unknown) => Object.prototype.toString.call(value) === "[object FormData]"
      : Reflect.get(globalThis.FormData, name),
});
