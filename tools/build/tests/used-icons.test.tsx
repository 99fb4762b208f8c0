import { usedIcons } from 'virtual:used-icons';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Icon } from '../../../app/components/ui/icon.tsx';
import { drawIcons, namesIn } from '../vite-plugins/used-icons.ts';

describe('the icons in a build', () => {
  it('are the icons that the code names, not the whole collection', () => {
    const names = Object.keys(usedIcons);
    expect(names).toEqual(expect.arrayContaining(['lucide:globe', 'lucide:arrow-right']));
    expect(names.length).toBeLessThan(100);
  });

  it('are found by complete names in every kind of string literal', () => {
    const source = `<Icon name="lucide:a" /> const b = 'lucide:b-2'; \`lucide:c\`; 'see lucide:d'; 'mdi:e'; "lucide:"; 'lucide:f"`;
    expect(namesIn(source)).toEqual(['lucide:a', 'lucide:b-2', 'lucide:c']);
  });

  it('are resolved through aliases', () => {
    const { 'lucide:activity-square': alias, 'lucide:square-activity': icon } = drawIcons([
      'lucide:activity-square',
      'lucide:square-activity',
    ]);
    expect(alias).toEqual(icon);
    expect(icon).toContain('<path');
  });

  it.each(['lucide:no-such-icon', 'lucide:constructor'])(
    'fail the build when the collection has no %s',
    (name) => {
      expect(() => drawIcons([name])).toThrow(`Lucide has no icon ${name}.`);
    },
  );

  it('fail the build when one is not drawn as the others', () => {
    expect(() => drawIcons(['lucide:search-large'])).toThrow('lucide:search-large is not drawn');
  });
});

describe('an icon in a page', () => {
  it('is inline SVG, hidden from assistive technology', () => {
    expect(renderToStaticMarkup(<Icon name="lucide:check" />)).toMatch(
      /^<svg aria-hidden="true" [^>]*viewBox="0 0 24 24"[^>]*><path d="M20 6L9 17l-5-5"\/><\/svg>$/,
    );
  });

  it('is mirrored in right-to-left text only when it shows a direction', () => {
    expect(renderToStaticMarkup(<Icon name="lucide:arrow-right" />)).toContain(' mirrored"');
    expect(renderToStaticMarkup(<Icon name="lucide:check" />)).not.toContain('mirrored');
  });

  it('throws when no code names it', () => {
    expect(() => renderToStaticMarkup(<Icon name="lucide:zoom-out" />)).toThrow(
      'lucide:zoom-out is not in the build',
    );
  });
});
