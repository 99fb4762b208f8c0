/** The name of the site, in titles, in the header, in the web app manifest and on error pages. */
export const siteName = 'Tenfold';
