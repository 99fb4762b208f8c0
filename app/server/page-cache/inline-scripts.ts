/** Hashes of inline scripts for the Content-Security-Policy of a cached document, which cannot contain a nonce. */
import { createHash } from 'node:crypto';

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;

/**
 * Returns the policy sources that allow the inline scripts of `html`, without duplicates: `'sha256-…'` of the bytes
 * between the tags (Content Security Policy level 3, section 6.7.3.3).
 */
export function inlineScriptHashes(html: string): string[] {
  const inline = [...html.matchAll(SCRIPT)].filter(([, attributes = '']) => !/\ssrc\s*=/i.test(attributes));
  return [...new Set(inline.map(([, , text = '']) => hash(text)))];
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
