/**
 * Attributes of a view that scrolls. They let it be scrolled with the keyboard, even if it contains nothing to focus.
 */
export const SCROLLED = { id: "view", tabIndex: 0 } as const;
