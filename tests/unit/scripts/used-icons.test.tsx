import { usedIcons } from 'virtual:used-icons';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Icon } from '../../../app/components/ui/icon.tsx';
import { drawIcons, namesIn } from '../../../scripts/vite-plugins/used-icons.ts';

describe('the icons that a build holds', () => {
  it('are those that the code names, and not the collection', () => {
    const names = Object.keys(usedIcons);
    expect(names).toEqual(expect.arrayContaining(['lucide:globe', 'lucide:arrow-right']));
    expect(names.length).toBeLessThan(100);
  });

  it('are found in every kind of string, whole, and nowhere else', () => {
    const source = `<Icon name="lucide:a" /> const b = 'lucide:b-2'; \`lucide:c\`; 'see lucide:d'; 'mdi:e'; "lucide:"; 'lucide:f"`;
    expect(namesIn(source)).toEqual(['lucide:a', 'lucide:b-2', 'lucide:c']);
  });

  it('are drawn with what they stand for', () => {
    const { 'lucide:activity-square': alias, 'lucide:square-activity': icon } = drawIcons([
      'lucide:activity-square',
      'lucide:square-activity',
    ]);
    expect(alias).toEqual(icon);
    expect(icon).toEqual({ viewBox: '0 0 24 24', body: expect.stringContaining('<path') });
  });

  it.each(['lucide:no-such-icon', 'lucide:constructor'])('cannot be built with %s', (name) => {
    expect(() => drawIcons([name])).toThrow(`Lucide has no icon ${name}.`);
  });
});

describe('an icon in a page', () => {
  it('stands in the markup, hidden from assistive technology', () => {
    expect(renderToStaticMarkup(<Icon name="lucide:check" className="size-4" />)).toBe(
      `<svg aria-hidden="true" focusable="false" viewBox="0 0 24 24" class="inline-block shrink-0 size-4">${usedIcons['lucide:check']?.body}</svg>`,
    );
  });

  it('is mirrored in right-to-left text only where it points', () => {
    expect(renderToStaticMarkup(<Icon name="lucide:arrow-right" />)).toContain(' mirrored"');
    expect(renderToStaticMarkup(<Icon name="lucide:check" />)).not.toContain('mirrored');
  });

  it('cannot be one that no code names', () => {
    expect(() => renderToStaticMarkup(<Icon name="lucide:zoom-out" />)).toThrow(
      'lucide:zoom-out is not in the build',
    );
  });
});
