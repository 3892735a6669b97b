/** Attributes of a view that scrolls: keys reach it, even if nothing in it can be pressed. */
export const SCROLLED = { id: "view", tabIndex: 0 } as const;
