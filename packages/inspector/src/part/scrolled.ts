/** What a view has that scrolls: keys reach it, also where nothing in it can be pressed. */
export const SCROLLED = { id: "view", tabIndex: 0 } as const;
