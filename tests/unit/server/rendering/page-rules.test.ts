import type { AppLoadContext } from '@remix-run/node';
import { describe, expect, it } from 'vitest';
import { forcedThemeOf, pages } from '~/pages.ts';
import { checkPages, enterPage } from '../../../../app/server/rendering/page-rules.ts';
import type { RouteMiddleware } from '../../../../app/server/rendering/route-middleware.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';

function recordLog() {
  const lines: string[] = [];
  return { lines, log: createLog('info', { write: (line) => void lines.push(line) }) };
}

describe('the check of the list of pages', () => {
  it('logs nothing for the pages of the site', () => {
    const { lines, log } = recordLog();
    checkPages(pages, log);
    expect(lines).toEqual([]);
  });

  it('rejects unknown layouts and middleware, all in one error', () => {
    const invalid = [
      { name: 'a', layout: 'wide' },
      { name: 'b', middleware: ['signed-in', 'sudo', 'toString', 'in-group:admins', 'in-group:admin'] },
    ];
    expect(() => checkPages(invalid, recordLog().log)).toThrow(
      [
        "Page 'a' in app/pages.ts: unknown layout 'wide'.",
        "Page 'b' in app/pages.ts: unknown middleware 'sudo'.",
        "Page 'b' in app/pages.ts: unknown middleware 'toString'.",
        "Page 'b' in app/pages.ts: unknown middleware 'in-group:admin'.",
      ].join('\n'),
    );
  });

  it('logs a warning for the forced theme `system`, which is not forced', () => {
    const { lines, log } = recordLog();
    const listed = [
      { name: 'a', forcedTheme: 'system' },
      { name: 'b', forcedTheme: 'dark' },
    ];
    checkPages(listed, log);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', page: 'a', forcedTheme: 'system' },
    ]);
    expect(forcedThemeOf({ forcedTheme: 'system' })).toBeNull();
    expect(forcedThemeOf({ forcedTheme: 'dark' })).toBe('dark');
    expect(forcedThemeOf({})).toBeNull();
    expect(forcedThemeOf(null)).toBeNull();
  });
});

describe('entering a page', () => {
  const args = {
    request: new Request('https://example.com/fr/test-message?after=%20x'),
    // Only the members that the middleware reads.
    context: { requestId: 'r', session: { state: 'anonymous' } } as unknown as AppLoadContext,
  };
  const responseOf = async (entry: Promise<void>): Promise<Response> => {
    const thrown = await entry.catch((error: unknown) => error);
    if (!(thrown instanceof Response)) throw new Error('The page was entered');
    return thrown;
  };

  it('runs the middleware in order until one returns a response', async () => {
    const ran: string[] = [];
    const named: Record<string, RouteMiddleware> = {
      'signed-in': () => void ran.push('first'),
      second: async () => {
        ran.push('second');
        return Response.json('instead');
      },
      third: () => void ran.push('third'),
    };
    const middleware = ['signed-in', 'second', 'third'] as unknown as ['signed-in'];
    const response = await responseOf(enterPage({ middleware }, args, named));
    expect(await response.json()).toBe('instead');
    expect(ran).toEqual(['first', 'second']);
  });

  it('throws a 404 `Page Not Found` when a middleware returns false', async () => {
    const response = await responseOf(
      enterPage({ middleware: ['signed-in'] }, args, { 'signed-in': () => false }),
    );
    expect([response.status, response.statusText]).toEqual([
      404,
      'Page Not Found: /fr/test-message?after=%20x',
    ]);
  });
});
