/** Reads documents for the tests of the links to source code, documentation and contact. */
import { expect } from 'vitest';

export async function documentOf({ site }: { site: { origin: string } }, path: string): Promise<string> {
  const response = await fetch(site.origin + path, { headers: { accept: 'text/html', cookie: 'locale=en' } });
  expect(response.status).toBe(200);
  return response.text();
}

/** The addresses of links that contain a `:`. */
export const outsideLinks = (html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]*:[^"]*)"/g)].map(([, address = '']) => address);

/** The part of a document inside one element, by its opening tag. */
export function inside(html: string, tag: 'main' | 'footer'): string {
  return html.slice(html.indexOf(`<${tag}`), html.indexOf(`</${tag}>`));
}

export const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&');
