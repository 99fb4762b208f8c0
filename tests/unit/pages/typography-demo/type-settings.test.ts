import { describe, expect, it } from 'vitest';
import {
  iconClass,
  iconName,
  parseTypeSettings,
  typeClass,
  typeSettings,
} from '../../../../app/pages/typography-demo/type-settings.ts';
import { createInstalledIcons } from '../../../../app/server/icons/installed-icons.ts';

const parse = (query: string) => parseTypeSettings(new URLSearchParams(query));
const defaults = {
  family: 'text',
  size: '20',
  weight: '400',
  leading: 'script',
  measure: '65',
  icon: 'none',
};

describe('parseTypeSettings', () => {
  it('returns the defaults for an empty query', () => {
    expect(parse('')).toEqual(defaults);
  });

  it('accepts every listed value', () => {
    for (const [name, values] of Object.entries(typeSettings)) {
      for (const value of values) expect(parse(`${name}=${value}`)).toEqual({ ...defaults, [name]: value });
    }
  });

  it('keeps valid settings when others are invalid', () => {
    expect(parse('family=comic-sans&size=32&weight=&leading=1.3&measure=65')).toEqual({
      ...defaults,
      size: '32',
    });
  });

  it.each(['size=20px', 'size= 32', 'family=TEXT', 'family=__proto__', 'icon=globe'])(
    'rejects %s',
    (query) => {
      expect(parse(query)).toEqual(defaults);
    },
  );

  it('uses the first value of a repeated setting', () => {
    expect(parse('size=48&size=16').size).toBe('48');
  });
});

describe('typeClass', () => {
  const { icon: _, ...textSettings } = typeSettings;

  it('returns a different class for every value', () => {
    for (const [name, values] of Object.entries(textSettings)) {
      const set = values.map((value) => typeClass(parse(`${name}=${value}`)));
      expect(new Set(set).size, name).toBe(values.length);
    }
  });

  it('returns one class per setting', () => {
    expect(typeClass(parse('')).split(' ')).toHaveLength(Object.keys(textSettings).length);
    expect(typeClass(parse(''))).not.toContain('undefined');
  });
});

describe('the icon', () => {
  it('has a name that Lucide has, or none', () => {
    const collection = createInstalledIcons();
    for (const icon of typeSettings.icon) {
      const name = iconName(parse(`icon=${icon}`));
      if (icon === 'none') expect(name).toBeNull();
      else expect(collection.subset('lucide', [name?.split(':')[1] ?? ''])?.icons).toHaveProperty([icon]);
    }
  });

  it('has other strokes for every weight of the text', () => {
    const classes = typeSettings.weight.map((weight) => iconClass(parse(`weight=${weight}`)));
    expect(new Set(classes).size).toBe(typeSettings.weight.length);
  });
});
