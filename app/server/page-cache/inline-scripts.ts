/** Inline scripts that a policy knows by their content, so that a document can be the same for everyone. */
import { createHash } from 'node:crypto';

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;

/**
 * The sources that let the inline scripts of `html` run, each once: `'sha256-…'` over the text between the tags, byte
 * for byte (Content Security Policy level 3, section 6.7.3.3).
 */
export function inlineScriptHashes(html: string): string[] {
  const inline = [...html.matchAll(SCRIPT)].filter(([, attributes = '']) => !/\ssrc\s*=/i.test(attributes));
  return [...new Set(inline.map(([, , text = '']) => hash(text)))];
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
