/** The layouts that a page may name. */
export const layoutNames = ['default'] as const;
export type LayoutName = (typeof layoutNames)[number];
