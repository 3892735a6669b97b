/** The release; the build checks it against the package. */
export const VERSION = "0.2.0";
