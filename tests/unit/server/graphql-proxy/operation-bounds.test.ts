import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { measureCost } from '../../../../app/server/graphql-proxy/operation-bounds.ts';

describe('the cost of a document', () => {
  const cost = (changes: Partial<ReturnType<typeof measureCost>>) => ({
    depth: 1,
    fields: 1,
    aliases: 0,
    directives: 0,
    introspects: false,
    ...changes,
  });

  it.each([
    ['{a}', cost({})],
    ['{a b}', cost({ fields: 2 })],
    ['{a{b}c{d{e}}}', cost({ depth: 3, fields: 5 })],
    ['{x:a{y:b} c}', cost({ depth: 2, fields: 3, aliases: 2 })],
    ['{...on A{...on B{a}}}', cost({ depth: 3 })],
    ['{a@x @y{b@z}}', cost({ depth: 2, fields: 2, directives: 3 })],
    ['{...on A@x{a}}', cost({ depth: 2, directives: 1 })],
    ['query Q($v:Int@x,$w:Int@y)@z{a}', cost({ directives: 3 })],
    ['{...F@x}fragment F on A@y{a@z}', cost({ directives: 3 })],
    ['{...F b{...F}}fragment F on A{x:a@y}', cost({ depth: 2, fields: 3, aliases: 2, directives: 2 })],
    ['{a{__typename}}', cost({ depth: 2, fields: 2 })],
    ['{a{b __schema{x}}}', cost({ depth: 3, fields: 4, introspects: true })],
    ['{__type(name:"A"){x}b}', cost({ depth: 2, fields: 3, introspects: true })],
    ['{...F b}fragment F on A{__type}', cost({ fields: 2, introspects: true })],
    ['{schema a__schema __schemas}', cost({ fields: 3 })],
    ['query A{a{b}} query B{x:c}', cost({ depth: 2, fields: 3, aliases: 1 })],
    ['query A{a} query B{__schema}', cost({ fields: 2, introspects: true })],
    ['query A{__schema} query B{a}', cost({ fields: 2, introspects: true })],
  ])('%s is measured', (query, expected) => {
    expect(measureCost(parse(query))).toEqual(expected);
  });

  it.each([
    ['{...F}', 'A fragment is missing.'],
    ['{...F}fragment F on A{b{...G}}fragment G on A{...F}', 'A fragment includes itself.'],
  ])('%s cannot be measured', (query, message) => {
    expect(() => measureCost(parse(query))).toThrow(
      expect.objectContaining({ name: 'FragmentError', message }),
    );
  });
});
