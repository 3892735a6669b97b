/** The version of this library, as its package.json says; `npm run build` compares them. */
export const VERSION = "0.2.0";
