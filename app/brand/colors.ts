/** The colors of the site. Styles, icons, share images and the hosted login of the local cloud follow them. */

/** Each is a palette of Tailwind CSS by its name, or a color `#rrggbb` from which `palette.ts` makes a palette. */
export const colors: { primary: string; secondary: string; gray: string } = {
  /** Links, buttons and the focus. */
  primary: 'violet',
  /** Confirmation and security. */
  secondary: 'teal',
  gray: 'zinc',
};

/** The page in each theme, and the browser's own surfaces around it. They suit the gray. */
export const canvasColors = { light: '#fafafa', dark: '#09090b' } as const;
