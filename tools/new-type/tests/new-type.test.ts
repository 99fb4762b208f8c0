/** The command new-type in a copy of the repository. What it writes is tested in a new site, by tools/new-site/check.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyRepository } from '../../setup/repository-copy.ts';

let copy = '';
const git = (...args: string[]) => execFileSync('git', args, { cwd: copy, encoding: 'utf8' });

beforeAll(() => {
  copy = copyRepository();
  git('init', '--quiet');
  appendFileSync(join(copy, '.git/info/exclude'), 'node_modules\n');
  git('add', '--all');
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function newType(...args: string[]) {
  const command = ['--conditions=@tenfold/source', 'tools/new-type/main.ts', ...args];
  return spawnSync(join('node_modules', '.bin', 'tsx'), command, { cwd: copy, encoding: 'utf8' });
}

it.each([
  [[], 'Name the type and its fields'],
  [['item', 'title:string'], 'item cannot be a type'],
  [['Item'], 'Name at least one field'],
  [['Query', 'title:string'], 'There is a type Query already.'],
  [['Page', 'title:string'], 'Page cannot be a type'],
  [['Class', 'title:string'], 'Class cannot be a type'],
  [['Mutation', 'title:string'], 'There is a type Mutation already.'],
  [['Fragment', 'title:string'], 'Fragment cannot be a type'],
  [['Sheep', 'title:string', '--plural=Sheep'], 'Sheep is the singular too.'],
  [['Item', 'title'], 'title is no field.'],
  [['Item', 'title:text'], "title has an unknown kind 'text'."],
  [['Item', 'Title:string'], 'Title cannot be a field'],
  [['Item', 'class:string'], 'class cannot be a field'],
  [['Item', 'toString:string'], 'toString cannot be a field'],
  [['Item', 'id:string'], 'id cannot be a field'],
  [['Item', 'createdAt:datetime'], 'createdAt cannot be a field'],
  [['Item', 'title:string', 'title:int'], 'The field title is named twice.'],
  [['Item', 'title:string', '--group=admins'], '--group needs --owner'],
  [['Item', 'title:string', '--owner', '--group=editors'], "There is no group 'editors'."],
  [['Item', 'title:string', '--expires=soon'], '--expires soon is no time'],
  [['Item', 'title:string', '--unknown'], "Unknown option '--unknown'"],
])('rejects %j with one line, and changes nothing', (args, message) => {
  const { status, stderr } = newType(...args);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toContain(message);
  expect(git('status', '--porcelain')).not.toMatch(/^(?:.M|\?\?)/m);
});

it('writes all or nothing', () => {
  const resolvers = join(copy, 'infra/resolvers');
  appendFileSync(join(copy, 'app/graphql/messages.graphql'), '\nquery Broken { nothing }\n');
  const failed = newType('Item', 'title:string');
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('Nothing was changed');
  expect(existsSync(join(resolvers, 'items.js'))).toBe(false);
  git('checkout', '--', 'app/graphql');
  expect(git('status', '--porcelain')).not.toMatch(/^(?:.M|\?\?)/m);

  appendFileSync(join(copy, 'schema.graphql'), '<<<<<<< ours\n');
  expect(newType('Item', 'title:string').status).toBe(1);
  git('checkout', '--', 'schema.graphql');

  expect(newType('Item', 'title:string', 'price:int?', '--owner').status).toBe(0);
  expect(newType('Item', 'title:string').stderr).toBe('There is a type Item already.\n');
  const account = join(copy, 'app/pages/account');
  expect(readFileSync(join(account, 'own-records.server.ts'), 'utf8')).toContain('\n  items: LIST_ITEMS,\n');
  const testOf = (page: string) =>
    readFileSync(join(copy, `tests/routes/pages/${page}/${page}.test.ts`), 'utf8');
  expect(testOf('items')).toContain('in the export of the account');
  // A site without the account page.
  rmSync(account, { recursive: true });
  expect(newType('BlogPost', 'seen:boolean?', '--expires=12h').status).toBe(0);
  expect(testOf('blog-posts')).not.toContain('account');
  expect(readFileSync(join(resolvers, 'blog-posts.js'), 'utf8')).toContain('lifetimeSeconds: 43200');
  const plan = spawnSync('npm', ['run', '--silent', 'aws:deploy', '--', '--plan'], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(plan.stderr).toBe('');
  expect(plan.stdout).toContain('Each field has its resolver and permission');
});
