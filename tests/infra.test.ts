/** The schema, the resolvers and the template of the site fit together, and AWS takes them. */
import { expect, it } from 'vitest';
import { findProblems } from '../tools/aws/check.ts';
import { prepareTemplate, readTemplate } from '../tools/aws/template.ts';

const template = readTemplate();

it('each field has its resolver and the permission to call it, and each resolver its field and the permissions of the data source', async () => {
  expect(await findProblems(template)).toEqual([]);
});

it('the template and each resolver are not larger than AWS takes', () => {
  expect(() => prepareTemplate()).not.toThrow();
});
