import { describe, expect, it } from 'vitest';
import { batchNames, iconPath, parseIconId } from '../../../../app/server/icons/icon-names.ts';

describe('batchNames', () => {
  it('sorts the names', () => {
    expect(batchNames('mdi', new Set(['home', 'account']), 20)).toEqual([['account', 'home']]);
  });

  it('allows addresses of 499 characters, and not of 500', () => {
    const host = 'https://icons.example';
    const others = ['a', 'b', 'c'].map((letter) => letter.repeat(128));
    const last = 'd'.repeat(499 - (host + iconPath('mdi', [...others, ''])).length);
    expect(batchNames('mdi', [...others, last], host.length)).toEqual([[...others, last]]);
    expect(batchNames('mdi', [...others, `${last}d`], host.length)).toEqual([others, [`${last}d`]]);
  });
});

describe('parseIconId', () => {
  it('returns the collection and the name', () => {
    expect(parseIconId('mdi:home-2')).toEqual({ collection: 'mdi', name: 'home-2' });
  });

  it.each([
    'home',
    'mdi:',
    ':home',
    'mdi:Home',
    'mdi:-home',
    'mdi:home-',
    'mdi:a--b',
    'mdi:../x',
    'mdi:home:two',
    `mdi:${'a'.repeat(129)}`,
  ])('rejects “%s”', (id) => {
    expect(parseIconId(id)).toBeNull();
  });
});
