/** The two Latin families of the site. Styles and the fallback fonts of devices follow them. */

/** `file` is the name of a package in `@fontsource-variable`, which has weights from 300 to 700. */
type BrandFont = { family: string; file: string };

export const fonts: { text: BrandFont; headings: BrandFont } = {
  /** Its package has an italic, for emphasis in running text. */
  text: { family: 'DM Sans', file: 'dm-sans' },
  headings: { family: 'Space Grotesk', file: 'space-grotesk' },
};
