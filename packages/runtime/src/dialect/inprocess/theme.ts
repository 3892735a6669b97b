const as = (_: unknown, text: unknown): string => String(text);
const plain = (text: unknown): string => String(text);

/** A theme for hosts without a screen: it has the members of pi's and omp's, and colours nothing. */
export const plainTheme: object = Object.freeze({
  name: "plain",
  fg: as,
  bg: as,
  bold: plain,
  italic: plain,
  underline: plain,
  inverse: plain,
  strikethrough: plain,
  dim: plain,
  getFgAnsi: () => "",
  getBgAnsi: () => "",
  getColorMode: () => "256color",
  getThinkingBorderColor: () => plain,
  getBashModeBorderColor: () => plain,
});
