import type { IconifyIcon } from '@iconify/types';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { DynamicIcon } from '../../../../app/components/ui/dynamic-icon.tsx';

/** The markup of the icons with these names on the server. */
const render = (names: readonly string[], prepared: Record<string, IconifyIcon>) =>
  renderToString(
    <p>
      {names.map((name) => (
        <DynamicIcon key={name} name={name} prepared={prepared} className="size-4" />
      ))}
    </p>,
  );

const svg = (viewBox: string, body: string) =>
  `<p><svg aria-hidden="true" focusable="false" viewBox="${viewBox}" class="inline-block shrink-0 size-4">${body}</svg></p>`;

describe('DynamicIcon', () => {
  it('is in the document when it is prepared', () => {
    const icon = { body: '<path d="M1 2"/>', width: 32, height: 16 };
    expect(render(['mdi:home'], { 'mdi:home': icon })).toBe(svg('0 0 32 16', icon.body));
  });

  it.each(['mdi:home', 'constructor'])('leaves its space empty when %s is not prepared', (name) => {
    expect(render([name], {})).toBe(svg('0 0 24 24', ''));
  });

  it('has unique ids, so that a page can contain it twice', () => {
    const body =
      '<mask id="a"><path id="b" fill="none"><animate id="c" begin="0;d.end"/><animate id="d" begin="c.end"/></path></mask><g mask="url(#a)"><use href="#b"/></g>';
    const page = render(['mdi:one', 'mdi:two'], { 'mdi:one': { body }, 'mdi:two': { body } });
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(8);
    for (const [, , id] of page.matchAll(/(url\(#|href="#)([^")]+)/g)) expect(ids).toContain(id);
    for (const [, id] of page.matchAll(/[";]([\w-]+)\.end/g)) expect(ids).toContain(id);
    expect(page.match(/fill="none"/g)).toHaveLength(2);
  });
});
