/** The controls of a page, as code that runs in the browser. */

export type Control = {
  /** Its kind and its name for assistive technology. */
  name: string;
  /** The place of the control among all elements that `SELECTOR` matches. */
  index: number;
};

/** What a visitor can press. */
export const SELECTOR = 'a[href], button, summary, select, textarea, input:not([type=hidden])';

/**
 * The visible controls of the page. Of the links and buttons of one list that look alike only the first is returned:
 * the languages, the messages, the links of a navigation. Runs in the page.
 */
export function findControls(selector: string): Control[] {
  const seen = new Set<string>();
  return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element, index) => {
    const list = element.closest('ul, ol');
    const lists = [...document.querySelectorAll('ul, ol')];
    const key =
      list === null ? String(index) : `${lists.indexOf(list)} ${element.localName} ${element.className}`;
    const { width, height } = element.getBoundingClientRect();
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const isVisible = element.contains(hit);
    if (!isVisible || seen.has(key)) return [];
    seen.add(key);
    const label = element.ariaLabel ?? (element as HTMLInputElement).labels?.[0]?.textContent;
    const text = (label ?? element.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 40);
    return [{ name: `${element.localName} ${text}`, index }];
  });
}
