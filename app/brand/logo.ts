/** The logo in the header and the footer, in the icons and on share images. It needs no mirroring. */

/** A drawing of 32 by 32 units. Here an X of two folds, the Roman numeral ten. */
export const logo: readonly { color: 'primary' | 'secondary'; d: string }[] = [
  { color: 'primary', d: 'M3 4h8l5 9.2L12.6 16 16 18.8 11 28H3l6.6-12z' },
  { color: 'secondary', d: 'M29 4h-8l-5 9.2 3.4 2.8-3.4 2.8 5 9.2h8l-6.6-12z' },
];
