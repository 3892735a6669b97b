/** The version of this release. The build checks that it equals that of the package. */
export const VERSION = "0.2.0";
