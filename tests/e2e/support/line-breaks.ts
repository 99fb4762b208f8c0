/** The lines that a browser breaks texts into. */
import type { Page } from '@playwright/test';

export const WIDTHS = [320, 360, 480, 640, 768, 1024, 1280, 1440, 1920];

/** The lines of all headings and paragraphs of the page, or of other elements, as they are broken now. */
export function linesOf(page: Page, selector = 'h1, h2, h3, p, li'): Promise<string[]> {
  return page.evaluate((blocks) => {
    const lines: string[] = [];
    for (const block of document.querySelectorAll(blocks)) {
      const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
      let bottom = Number.NEGATIVE_INFINITY;
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        [...(node.textContent ?? '')].forEach((character, index) => {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + 1);
          const box = range.getBoundingClientRect();
          if (box.height === 0) return;
          if (box.top >= bottom - 1) lines.push('');
          bottom = Math.max(bottom, box.bottom);
          lines[lines.length - 1] += character;
        });
      }
    }
    return lines;
  }, selector);
}
